/** The signed-in session of a browser. */
export interface BrowserSession {
  accountId: string
  signedInAt: Date
}

/** Finds the session of a browser by its cookies; null if nobody is signed in. */
export type FindSession = (cookies: string) => Promise<BrowserSession | null>
