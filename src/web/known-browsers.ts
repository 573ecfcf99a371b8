import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Marks of browsers that have signed in. A mark is not a credential: its only effect is that wrong passwords of a
 * marked browser are counted separately.
 */
export interface KnownBrowsers {
  /** The mark of a browser after adding an account; `mark` is its previous mark or null. */
  add(mark: string | null, accountId: string): string
  /** The id of the browser if its mark contains the account; otherwise null. */
  browserId(mark: string | null, accountId: string): string | null
}

/** A random id of the browser, then one proof per account that has signed in; each is 128 bits in base64url. */
export const browserMarkPattern = /^[\w-]{22}(?:\.[\w-]{22}){1,5}$/

const maxAccounts = 5
const bytes = 16

/** Marks based on HMAC-SHA-256; all processes with the same secret create and accept the same marks. */
export function createKnownBrowsers(secret: string): KnownBrowsers {
  const key = createHmac('sha256', secret).update('known browsers').digest()
  const prove = (id: string, accountId: string) =>
    createHmac('sha256', key).update(`${id} ${accountId}`).digest().subarray(0, bytes)
  return {
    add(mark, accountId) {
      const [id = randomBytes(bytes).toString('base64url'), ...proofs] = mark?.split('.') ?? []
      const proof = prove(id, accountId)
      const others = proofs.filter((each) => !names([each], proof))
      return [id, proof.toString('base64url'), ...others.slice(0, maxAccounts - 1)].join('.')
    },
    browserId(mark, accountId) {
      const [id, ...proofs] = mark?.split('.') ?? []
      return id !== undefined && names(proofs, prove(id, accountId)) ? id : null
    },
  }
}

function names(proofs: readonly string[], proof: Buffer): boolean {
  return proofs.some((each) => timingSafeEqual(Buffer.from(each, 'base64url'), proof))
}
