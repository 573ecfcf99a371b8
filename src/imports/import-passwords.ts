import { createAnswerCipher } from '../accounts/answer-cipher.ts'

/** Encrypts the password of a file while its import waits and runs. */
export interface ImportPasswords {
  /** The encrypted password for the row of this job; only a server with the same secret can decrypt it. */
  seal(password: string, jobId: string): string
  /** The password of a job; null if it has none, or if the server's secret has changed. */
  open(sealed: string | undefined, jobId: string): string | null
}

/** Encrypts with AES-256-GCM and a key derived from the server's secret and the id of the job. */
export function createImportPasswords(secret: string): ImportPasswords {
  const cipher = createAnswerCipher(secret, 'lectern import password')
  return {
    seal: (password, jobId) => cipher.encrypt(password, jobId),
    open(sealed, jobId) {
      const password = sealed === undefined ? undefined : cipher.decrypt(sealed, jobId)
      return typeof password === 'string' ? password : null
    },
  }
}
