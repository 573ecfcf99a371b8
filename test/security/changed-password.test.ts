import { beforeEach, describe, expect, test } from 'vitest'
import { resetPassword } from '../../src/accounts/change-password.ts'
import { confirmSession } from '../../src/accounts/confirm-session.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { signIn as startSignIn } from '../../src/accounts/sign-in.ts'
import { contextOf } from '../support/context.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const browser = { clientAddress: '192.0.2.7', browserIdFor: () => null, userAgent: null, previousToken: null }
let person: WebPerson
beforeEach(async () => {
  person = await signedInPerson(server)
})

const sessions = () => {
  const { webSessions, now } = server.running.opened.services
  return webSessions.list(person.account.id, now())
}

/** Services in which a password is reset while it is being checked. */
function resetDuringCheck() {
  const { services } = server.running.opened
  const { passwords } = services
  let isReset = false
  const verify: typeof passwords.verify = async (...args) => {
    const result = await passwords.verify(...args)
    if (!isReset) {
      isReset = true
      const { url } = await issueLink(services, 'reset', person.account.id)
      const token = new URL(url).searchParams.get('token') ?? ''
      await resetPassword(services, { token, password: 'some other words', revokeAccess: true }, browser)
    }
    return result
  }
  return { ...services, passwords: { ...passwords, verify } }
}

describe('the old password, if it is being checked while the password changes', () => {
  test('signs nobody in', async () => {
    const credentials = { email: person.email, password }
    const signingIn = startSignIn(resetDuringCheck(), credentials, browser)
    await expect(signingIn).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(await sessions()).toEqual([])
  })

  test('confirms no session', async () => {
    const [session] = await sessions()
    const { account } = person
    const ctx = await contextOf(server, { id: account.id })
    const credential = { kind: 'session', id: session?.id ?? '' } as const
    const caller = { ...ctx, ...resetDuringCheck(), actor: { ...ctx.actor, credential } }
    await expect(confirmSession(caller, password, browser)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(await sessions()).toEqual([])
  })
})
