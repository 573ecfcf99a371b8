import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The tokens of invitation links. They are derived from the server's secret and stored nowhere, so a link can be shown
 * again.
 */
export interface InviteTokens {
  tokenFor(inviteId: string): string
  /** The id of the invitation of a token, or null for a forged one. Compares in constant time. */
  verify(token: string): string | null
}

export interface InviteTokenServices {
  inviteTokens: InviteTokens
}

/** Tokens that are the same in all processes with the same secret. */
export function createInviteTokens(secret: string): InviteTokens {
  const key = createHmac('sha256', secret).update('team invitations').digest()
  const tokenFor = (inviteId: string) => inviteId + createHmac('sha256', key).update(inviteId).digest('base64url')
  return {
    tokenFor,
    verify(token) {
      const inviteId = /^[a-z0-9]{26}/.exec(token)?.[0]
      if (inviteId === undefined) return null
      const [expected, actual] = [Buffer.from(tokenFor(inviteId)), Buffer.from(token)]
      return expected.length === actual.length && timingSafeEqual(expected, actual) ? inviteId : null
    },
  }
}
