import { expect, test } from 'vitest'
import { plansEnvironment } from '../support/plans-environment.ts'
import { signedInPerson, signIn, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const plans = await plansEnvironment({ tier: 'TINY', tierDisplay: 'Tiny', itemLimit: 1 })
const server = useTestServer({ LECTERN_ROLE: 'web', ...plans })

const booksOf = async ({ account }: WebPerson) => {
  const found = []
  for await (const book of server.running.opened.services.books.allOwned(account.id)) found.push(book)
  return found
}

const write = ({ browser }: WebPerson, fields: Record<string, string>) =>
  browser.submit('/add/markdown', '/add/markdown', fields)

test('a book written in the browser is available at once, with its author and pages', async () => {
  const person = await signedInPerson(server)
  const content = '# One\r\n\r\nText.\r\n\r\n# Two\r\n\r\nMore.'
  const answer = await write(person, { title: 'Mine', author: ' Me ', content })
  const [book] = await booksOf(person)
  expect(answer).toMatchObject({ status: 303, location: `/books/${book?.id}` })
  expect(book).toMatchObject({ title: 'Mine', author: 'Me', status: 'READY', pageCount: 2, sourceType: 'markdown' })
  const { contents } = server.running.opened.services
  const manifest = await contents.getManifest(book?.id ?? '', 1)
  expect(manifest?.bytes).toBe('# One\n\nText.\n\n# Two\n\nMore.'.length)
})

test.for([
  ['no title', { title: ' ', author: '', content: '# Kept' }, 400, /Title is required/],
  ['too long a text', { title: 'Long', author: '', content: 'x'.repeat(1_000_001) }, 413, /1,000,000 bytes/],
  [
    'a text with more than a form takes',
    { title: 'Long', author: '', content: 'x'.repeat(3_200_000) },
    413,
    /Too large/,
  ],
] as const)('%s is refused, and nothing is added', async ([, fields, status, words]) => {
  const person = await signedInPerson(server)
  const answer = await write(person, fields)
  expect(answer.status).toBe(status)
  expect(answer.text).toMatch(words)
  if (fields.content === '# Kept') expect(answer.text).toMatch(/<textarea[^>]*>\s*# Kept<\/textarea/)
  expect(await booksOf(person)).toEqual([])
})

test('a text that could close its field stays inside it', async () => {
  const person = await signedInPerson(server)
  const answer = await write(person, { title: '', author: '', content: '</textarea><script>x' })
  expect(answer.text).not.toContain('<script>x')
  expect(answer.text).toContain('&lt;/textarea&gt;&lt;script&gt;x')
})

test('a full library is reported before and after', async () => {
  const person = await signedInPerson(server, { plan: 'TINY' })
  await write(person, { title: 'One', author: '', content: '' })
  expect((await person.browser.get('/add/markdown')).text).toContain('Your library is full.')
  const answer = await write(person, { title: 'Two', author: '', content: '# Kept' })
  expect(answer.status).toBe(403)
  expect(answer.text).toContain('# Kept')
  expect(await booksOf(person)).toHaveLength(1)
})

test('a text that is sent after the session has ended stays in the form, and can be sent after a sign-in', async () => {
  const person = await signedInPerson(server)
  const fields = { title: 'Kept', author: 'Me', content: '# Typed <long>' }
  const { text } = await person.browser.get('/add/markdown')
  await server.running.opened.services.webSessions.endAll(person.account.id)
  const ended = await person.browser.post('/add/markdown', { ...hiddenFields(text, '/add/markdown'), ...fields })
  expect(ended.status).toBe(401)
  expect(ended.text).toMatch(/value="Kept"[^]*value="Me"[^]*# Typed &lt;long&gt;<\/textarea>/)
  expect(await booksOf(person)).toEqual([])
  await signIn(person.browser, person.email)
  const stale = await person.browser.post('/add/markdown', { ...hiddenFields(ended.text, '/add/markdown'), ...fields })
  expect([stale.status, stale.text.includes('# Typed &lt;long&gt;')]).toEqual([403, true])
  await person.browser.post('/add/markdown', { ...hiddenFields(stale.text, '/add/markdown'), ...fields })
  expect(await booksOf(person)).toMatchObject([{ title: 'Kept' }])
})
