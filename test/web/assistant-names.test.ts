import { expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { registerProgram } from '../support/oauth.ts'
import { mcp, rest } from '../support/transports.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** The credential of an assistant that calls itself `test`, and the name under which the account knows it. */
const credentials: readonly (readonly [string, string, (person: WebPerson) => Promise<string>])[] = [
  [
    'a connected app',
    'Study helper',
    async ({ browser }) => {
      const program = await registerProgram(server, { client_name: 'Study helper' })
      const first = await program.connect(browser)
      // A token that is renewed has the name, too.
      return (await program.refresh(first.refresh_token)).body.access_token
    },
  ],
  [
    'an API key',
    'Desk assistant',
    async ({ account }) =>
      (await createApiKey(server.running.opened.services, account.id, { name: 'Desk assistant' })).key,
  ],
]

test.for(credentials)('%s has one name on all pages: %s', async ([, name, credentialOf]) => {
  const person = await signedInPerson(server)
  const key = await credentialOf(person)
  const call = async (tool: string, input: Record<string, unknown>) => {
    const { ok, body, text } = await mcp.call(server, { key }, tool, input)
    if (!ok) throw new Error(`${tool}: ${text}`)
    return body
  }
  const { manuscript } = await call('create_manuscript', { title: 'Kept' })
  const id = manuscript.itemId as string
  await call('append_item_pages', { id, content: '# Tides\n\nTwice a day.' })
  const { sessionId } = await call('start_access_session', { intent: 'When is high water?' })
  await call('read_items', { items: [{ id }], sessionId })
  const pageAt = async (path: string) => (await person.browser.get(path)).text.replaceAll(/\s+/g, ' ')
  await expect.poll(() => pageAt(`/books/${id}`), { timeout: 10_000 }).toContain(`>${name} (1)</option>`)
  const book = await pageAt(`/books/${id}`)
  expect(book).toContain(`>Maintained by ${name}</a>`)
  expect(book).toContain(`<bdi>${name}</bdi> for`)
  expect(book).toMatch(new RegExp(`When is high water\\?</span> <span class="facts">${name}, `))
  expect(await pageAt('/library')).toContain(`maintained by ${name}`)
  expect(await pageAt('/library/manuscripts')).toMatch(
    new RegExp(`Maintained by <bdi>${name}</bdi>.*<bdi>${name}</bdi> for`),
  )
  expect(await pageAt('/activity')).toMatch(new RegExp(`When is high water\\?</strong> <p class="facts">${name}, `))
  const filtered = await pageAt(`/books/${id}?reader=${encodeURIComponent(`agent:${name}`)}`)
  expect(filtered).toContain('When is high water?')
  const { key: other } = await createApiKey(server.running.opened.services, person.account.id, {})
  const { body } = await rest.call(server, { key: other }, 'get_value_report', { since: '7d' })
  expect(body.sessions.sessions[0].client).toBe('test')
})
