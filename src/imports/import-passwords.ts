import { createAnswerCipher } from '../accounts/answer-cipher.ts'

/** Seals the password of a file for the time that its import waits and runs. */
export interface ImportPasswords {
  /** The password as it may stand in the row of this job: only a server with the same secret opens it. */
  seal(password: string, jobId: string): string
  /** The password of a job; null without one, or if the server's secret has changed since. */
  open(sealed: string | undefined, jobId: string): string | null
}

/** Seals with AES-256-GCM and a key derived from the server's secret and the id of the job. */
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
