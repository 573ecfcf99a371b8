import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/core/scopes.ts'
import { answerConsent } from '../support/oauth.ts'
import { sdkPrograms } from '../support/sdk-clients.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

const readOnly = ['library:read', 'marketplace:read']

describe.for(sdkPrograms)('%s', ([, make]) => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  beforeAll(async () => {
    person = await signedInPerson(server)
  })
  const address = () => `${server.baseUrl}/api/v1/mcp`

  test('the client connects by challenge, discovery, registration, sign-in and consent', async () => {
    const program = make(address())
    expect(await program.tools()).toBeNull()
    const { authorizationUrl: wanted } = program.saved
    expect(wanted?.searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining([...scopes]))
    expect(wanted?.searchParams.get('resource')).toBe(address())
    expect(wanted?.searchParams.get('code_challenge_method')).toBe('S256')
    const { params } = await answerConsent(person.browser, wanted!)
    expect(params.get('iss')).toBe(server.baseUrl)
    expect(params.get('state')).toBe('the state')
    await program.finishAuthorization(params)
    expect(await program.tools()).toContain('read_items')
    const me = await program.call('whoami', {})
    expect(me.structuredContent.email).toBe(person.email)
    await program.close()
  })

  test('the client refreshes an expired token automatically', async () => {
    const program = make(address())
    await program.tools()
    await program.finishAuthorization((await answerConsent(person.browser, program.saved.authorizationUrl!)).params)
    const first = { ...program.saved.tokens }
    await server.running.opened.database.db
      .collection('oauth')
      .updateMany({ kind: 'AccessToken' }, { $set: { expiresAt: new Date(0) } })
    expect(await program.tools()).toContain('read_items')
    expect(program.saved.tokens.access_token).not.toBe(first.access_token)
    expect(program.saved.tokens.refresh_token).not.toBe(first.refresh_token)
    await program.close()
  })

  test('the client requests a missing scope and retries the tool with it', async () => {
    // The legacy client tries to refresh its tokens before it opens the browser, unless it has no refresh token.
    const program = make(address(), { noRefresh: true })
    await program.tools()
    await program.finishAuthorization(
      (await answerConsent(person.browser, program.saved.authorizationUrl!, { scopes: readOnly })).params,
    )
    expect(program.saved.tokens.scope.split(' ').toSorted()).toEqual(readOnly)
    const create = () => program.call('create_markdown_item', { title: 'A book', content: '# One\n' })
    expect(await create()).toBeNull()
    expect(program.saved.authorizationUrl?.searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['library:read', 'library:write', 'marketplace:read']),
    )
    await program.finishAuthorization((await answerConsent(person.browser, program.saved.authorizationUrl!)).params)
    expect((await create()).structuredContent.title).toBe('A book')
    await program.close()
  })
})
