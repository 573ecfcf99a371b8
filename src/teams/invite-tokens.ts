import { createHmac, timingSafeEqual } from 'node:crypto'

/** The tokens of invitation links. They are worked out of the server's secret and stored nowhere, so a link can be shown again. */
export interface InviteTokens {
  of(inviteId: string): string
  /** The invitation that a token is for, or null for one that this server has not made. Compares in constant time. */
  inviteOf(token: string): string | null
}

export interface InviteTokenServices {
  inviteTokens: InviteTokens
}

/** Tokens that all processes with one secret make and accept alike. */
export function createInviteTokens(secret: string): InviteTokens {
  const key = createHmac('sha256', secret).update('team invitations').digest()
  const of = (inviteId: string) => inviteId + createHmac('sha256', key).update(inviteId).digest('base64url')
  return {
    of,
    inviteOf(token) {
      const inviteId = /^[a-z0-9]{26}/.exec(token)?.[0]
      if (inviteId === undefined) return null
      const [right, given] = [Buffer.from(of(inviteId)), Buffer.from(token)]
      return right.length === given.length && timingSafeEqual(right, given) ? inviteId : null
    },
  }
}
