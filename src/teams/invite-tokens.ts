import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * How an invitation link reached its bearer: `shown` in a list or an answer, `admin` likewise by an administrator of
 * the server, `mailed` by the server to the invited address. A `mailed` link proves the address of whoever follows it,
 * an `admin` link means that an administrator vouches for it, and a `shown` link proves nothing.
 */
export type InviteLinkKind = 'shown' | 'admin' | 'mailed'

/** The content of an invitation link's token. */
export interface InviteToken {
  inviteId: string
  kind: InviteLinkKind
}

/**
 * The tokens of invitation links. They are derived from the server's secret and not stored, so a link can be shown
 * again.
 */
export interface InviteTokens {
  tokenFor(inviteId: string, kind: InviteLinkKind): string
  /** The invitation and the kind of a token, or null for a forged one. Compares in constant time. */
  verify(token: string): InviteToken | null
}

export interface InviteTokenServices {
  inviteTokens: InviteTokens
}

/**
 * The prefixes that are signed together with the id. The links of the first release, which had a single kind, count as
 * shown.
 */
const purposes: Record<InviteLinkKind, string> = { shown: '', admin: 'admin:', mailed: 'mailed:' }
const kinds = Object.keys(purposes) as InviteLinkKind[]

/** Tokens that are the same in all processes with the same secret. */
export function createInviteTokens(secret: string): InviteTokens {
  const key = createHmac('sha256', secret).update('team invitations').digest()
  const tokenFor = (inviteId: string, kind: InviteLinkKind) =>
    inviteId + createHmac('sha256', key).update(`${purposes[kind]}${inviteId}`).digest('base64url')
  return {
    tokenFor,
    verify(token) {
      const inviteId = /^[a-z0-9]{26}/.exec(token)?.[0]
      if (inviteId === undefined) return null
      const actual = Buffer.from(token)
      const kind = kinds.find((candidate) => {
        const expected = Buffer.from(tokenFor(inviteId, candidate))
        return expected.length === actual.length && timingSafeEqual(expected, actual)
      })
      return kind ? { inviteId, kind } : null
    },
  }
}
