import { expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { createTeamClient } from '../support/team-client.ts'
import { mcp } from '../support/transports.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Calls a tool as an assistant of a person that connects with an API key. */
async function assistantOf({ account }: WebPerson) {
  const { key } = await createApiKey(server.running.opened.services, account.id, { name: 'Desk assistant' })
  return async (tool: string, input: Record<string, unknown>) => {
    const answer = await mcp.call(server, { ...account, key }, tool, input)
    if (!answer.ok) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }
}

/** The rows of the list, as words. */
const rowsOf = (page: string) =>
  [...page.matchAll(/<li id="manuscript-[\s\S]*?<\/li>/g)].map(([row]) =>
    row
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )

test('says what a manuscript is while there is none', async () => {
  const { browser } = await signedInPerson(server)
  const { text } = await browser.get('/library/manuscripts')
  expect(text).toMatch(/No manuscripts yet[\s\S]*href="\/connect"/)
  expect((await browser.get('/library')).text).toContain('<a href="/library/manuscripts">Manuscripts</a>')
})

test('an empty one waits for its first page, like any empty book that is written here', async () => {
  const person = await signedInPerson(server)
  const call = await assistantOf(person)
  const { itemId } = (await call('create_manuscript', { title: 'Begun' })).manuscript
  const library = (await person.browser.get('/library')).text
  expect(library).toContain('<li class="badge ">No text yet</li>')
  expect(library).not.toContain('badge alarm')
  const book = (await person.browser.get(`/books/${itemId}`)).text
  expect(book).toContain(`<a class="button" href="/books/${itemId}/edit/end">Write the first page</a>`)
  expect((await person.browser.get(`/books/${itemId}/edit/end`)).status).toBe(200)
})

test('lists manuscripts with their state, their last change and who made it, unarchived ones first', async () => {
  const person = await signedInPerson(server)
  const call = await assistantOf(person)
  const [kept, paused, old] = [
    (await call('create_manuscript', { title: 'Kept', description: 'About <tides>', autoUpdate: true })).manuscript,
    (await call('create_manuscript', { title: 'Rested' })).manuscript,
    (await call('create_manuscript', { title: 'Old' })).manuscript,
  ]
  await call('append_item_pages', { id: kept.itemId, content: '# Tides\n\nTwice a day.' })
  await call('update_manuscript', { manuscriptId: paused.id, status: 'PAUSED' })
  await call('archive_manuscript', { manuscriptId: old.id })
  await call('delete_items', { ids: [old.itemId] })
  const { text } = await person.browser.get('/library/manuscripts')
  const change = String.raw`Last change: \d+ \w+ \d{4}, Desk assistant for ${person.account.name}\.`
  expect(rowsOf(text)).toEqual([
    expect.stringMatching(new RegExp(`^Rested Paused Maintained by .+\\. 0 pages\\. ${change}$`)),
    expect.stringMatching(
      new RegExp(`^Kept Active About &lt;tides&gt; Maintained by .+, without asking\\. 1 page\\. ${change}$`),
    ),
    expect.stringMatching(/^Old Archived Maintained by .+\. The book is deleted\.$/),
  ])
  expect(text).toContain(`<a href="/books/${kept.itemId}">Kept</a>`)
  expect(text).not.toContain(`href="/books/${old.itemId}"`)
})

test('the library and the pages of the books lead to the list', async () => {
  const person = await signedInPerson(server)
  const call = await assistantOf(person)
  const head = (page: string) => page.slice(0, page.indexOf('role="search"'))
  const { manuscript } = await call('create_manuscript', { title: 'Kept' })
  expect(head((await person.browser.get('/library')).text)).toContain('href="/library/manuscripts"')
  const book = `/books/${manuscript.itemId}`
  expect((await person.browser.get(book)).text).toMatch(/<dt>Manuscript<\/dt>\s*<dd><a href="\/library\/manuscripts">/)
  await call('archive_manuscript', { manuscriptId: manuscript.id })
  expect((await person.browser.get(book)).text).not.toContain('/library/manuscripts')
})

test('lists manuscripts of a team for its members only, with their authors', async () => {
  const [author, member, stranger] = await Promise.all([
    signedInPerson(server),
    signedInPerson(server),
    signedInPerson(server),
  ])
  const call = await assistantOf(author)
  const desk = createTeamClient(server)
  const { key } = await createApiKey(server.running.opened.services, author.account.id, {})
  const team = await desk.createTeam({ ...author.account, key }, 'Circle')
  await desk.addMember(team, member.account)
  await call('create_manuscript', { title: 'Ours', teamId: team })
  await call('create_manuscript', { title: 'Mine' })
  expect(rowsOf((await member.browser.get('/library/manuscripts')).text)).toEqual([
    expect.stringMatching(new RegExp(`^Ours Active Of ${author.account.name}\\. Maintained by`)),
  ])
  expect(rowsOf((await stranger.browser.get('/library/manuscripts')).text)).toEqual([])
})

test('shows long lists in parts', async () => {
  const person = await signedInPerson(server)
  const { services } = server.running.opened
  const row = (n: number) => ({
    id: `${person.account.id}m${n}`,
    accountId: person.account.id,
    teamId: null,
    itemId: `${person.account.id}b${n}`,
    title: `Number ${n}`,
    description: null,
    audience: null,
    topics: [],
    criteria: [],
    trigger: null,
    instructions: null,
    autoUpdate: false,
    structure: null,
    status: 'ARCHIVED' as const,
    slot: null,
    shareDueAt: null,
    createdAt: new Date(Date.UTC(2026, 0, 1) + n),
    updatedAt: new Date(),
  })
  for (let n = 0; n < 31; n++) await services.manuscripts.add(row(n))
  const first = await person.browser.get('/library/manuscripts')
  expect(rowsOf(first.text)).toHaveLength(30)
  expect(first.text).toContain('href="/library/manuscripts?from=30"')
  const second = await person.browser.get('/library/manuscripts?from=30')
  expect(rowsOf(second.text)).toEqual([expect.stringMatching(/^Number 0 Archived/)])
  expect(second.text).not.toContain('rel="next"')
})
