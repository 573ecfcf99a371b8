import { beforeEach, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { mcp } from '../support/transports.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let reader: WebPerson & { key: string }

beforeEach(async () => {
  const person = await signedInPerson(server)
  reader = { ...person, key: (await createApiKey(server.running.opened.services, person.account.id, {})).key }
})

const call = async (tool: string, input: Record<string, unknown> = {}) => {
  const { ok, body } = await mcp.call(server, reader, tool, input)
  expect(ok, body.error).toBe(true)
  return body
}

/** The words of the page, without its markup. */
async function wordsOf(path: string): Promise<string> {
  const { status, text } = await reader.browser.get(path)
  expect(status).toBe(200)
  return text.replaceAll(/<(script|style|title)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
}

/** Reads pages of a book in a research session of their own. */
async function research(intent: string, id: string, pages: string): Promise<void> {
  const { sessionId } = await call('start_access_session', { intent })
  await call('read_items', { items: [{ id, pages }], sessionId })
}

test('without reads, the page leads to an assistant', async () => {
  const text = await wordsOf('/activity')
  expect(text).toContain('Nothing was read in these days')
  expect(text).not.toContain('Pages read')
  expect((await reader.browser.get('/activity')).text).toContain('href="/connect">')
  expect((await reader.browser.get('/')).text).toContain('href="/activity"')
})

test('shows what was read, when, for which question, and what was missing', async () => {
  const bees = await makeBook(server, reader.account, { title: 'Bees <b>', content: markdownPages(9) })
  const gone = await makeBook(server, reader.account, { title: 'Gone', content: markdownPages(2) })
  await research('How do bees <i>dance?', bees, '1-4')
  await research('Something else', gone, '1')
  await call('start_access_session', { intent: 'Left early' })
  await call('suggest_book', { title: 'The Wasp', reason: 'Nothing on wasps' })
  await call('delete_items', { ids: [gone] })
  const text = await wordsOf('/activity?days=7')
  for (const words of [
    'Pages read 5',
    'Reading time Less than a minute for a person',
    'Books read 2',
    '3 questions or topics; text was read for 2',
    'The most on a day: 5 pages',
    'Bees &lt;b&gt; 4 1',
    'How do bees &lt;i&gt;dance?',
    '4 pages read.',
    'Left early',
    'Nothing was opened.',
    'The Wasp',
    'Nothing on wasps',
  ])
    expect(text).toContain(words)
  const { text: page } = await reader.browser.get('/activity')
  expect(page).toContain(`href="/books/${bees}#reads"`)
  expect(page).toContain('Gone')
  expect(page).not.toContain(`/books/${gone}`)
})

test('a year is shown by weeks, and any other period is the usual one', async () => {
  const bees = await makeBook(server, reader.account, { content: markdownPages(2) })
  await research('Bees', bees, '1')
  const { text } = await reader.browser.get('/activity?days=365')
  expect(text.match(/class="chart-bar"/g)).toHaveLength(53)
  expect(text).toContain('The most in a week: 1 page')
  for (const path of ['/activity', '/activity?days=31', '/activity?days=x&from=-1'])
    expect((await reader.browser.get(path)).text.match(/class="chart-bar"/g), path).toHaveLength(30)
})

test('earlier research is on further pages', async () => {
  const { sessions, now } = server.running.opened.services
  const at = now()
  const counts = { contentReads: 0, tocReads: 0, pagesRead: 0, reads: 0, books: {} }
  for (let nth = 1; nth <= 21; nth++) {
    const startedAt = new Date(at.getTime() - nth * 1000)
    const times = { startedAt, lastReadAt: startedAt, completedAt: startedAt }
    const session = { id: `${reader.account.id}-${nth}`, accountId: reader.account.id, intent: `Topic ${nth}.` }
    await sessions.add({ ...session, ...times, ...counts, channel: 'mcp', client: 'claude-ai' })
  }
  const first = await reader.browser.get('/activity')
  expect(first.text).toContain('Topic 20.')
  expect(first.text).not.toContain('Topic 21.')
  const next = /href="(\/activity\?days=30&amp;from=20)#research"/.exec(first.text)?.[1] ?? ''
  const last = await reader.browser.get(next.replace('&amp;', '&'))
  expect(last.text).toContain('Topic 21.')
  expect(last.text).toContain('from=0#research')
  expect(last.text).not.toContain('Topic 20.')
})

test('belongs to the signed-in account', async () => {
  const other = await signedInPerson(server)
  const bees = await makeBook(server, reader.account, { title: 'Bees', content: markdownPages(2) })
  await research('Secret topic', bees, '1')
  expect((await other.browser.get('/activity')).text).not.toContain('Secret topic')
})
