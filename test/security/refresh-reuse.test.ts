import { beforeAll, describe, expect, test } from 'vitest'
import { callMcp, registerProgram, type Program } from '../support/oauth.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

describe('a refresh token that is used more than once', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  let app: Program
  beforeAll(async () => {
    person = await signedInPerson(server)
    app = await registerProgram(server)
  })

  const rows = () => server.running.opened.database.db.collection('oauth')
  const leaveLeeway = () =>
    rows().updateMany({ consumedAt: { $ne: null } }, { $set: { consumedAt: new Date(Date.now() - 31_000) } })
  const refreshTokens = () => rows().find({ kind: 'RefreshToken' }).toArray()

  test('yields the same single successor, concurrently and sequentially', async () => {
    const { refresh_token } = await app.connect(person.browser)
    const before = (await refreshTokens()).length
    const answers = await Promise.all(Array.from({ length: 6 }, () => app.refresh(refresh_token)))
    answers.push(await app.refresh(refresh_token))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const successors = new Set(answers.map(({ body }) => body.refresh_token))
    expect(successors.size).toBe(1)
    expect(successors.has(refresh_token)).toBe(false)
    expect((await refreshTokens()).length).toBe(before + 1)
    for (const { body } of answers) expect((await callMcp(server, body.access_token)).status).toBe(200)
  })

  test('does not make a used successor usable again', async () => {
    const { refresh_token } = await app.connect(person.browser)
    const { body: second } = await app.refresh(refresh_token)
    const { body: third } = await app.refresh(second.refresh_token)
    const { body: again } = await app.refresh(refresh_token)
    expect(again.refresh_token).toBe(second.refresh_token)
    await leaveLeeway()
    expect((await app.refresh(again.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.refresh(third.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('ends the connection after the leeway', async () => {
    const { refresh_token } = await app.connect(person.browser)
    const { body } = await app.refresh(refresh_token)
    await leaveLeeway()
    expect((await app.refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await callMcp(server, body.access_token)).status).toBe(401)
  })

  test('yields its successor to its own client only, and nothing after a disconnection', async () => {
    const { refresh_token, access_token } = await app.connect(person.browser)
    await app.refresh(refresh_token)
    const other = await registerProgram(server)
    expect((await other.refresh(refresh_token)).body.error).toBe('invalid_grant')
    await app.revoke(access_token)
    expect((await app.refresh(refresh_token)).body.error).toBe('invalid_grant')
  })
})
