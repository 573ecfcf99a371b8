import { expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { makeBook } from '../support/make-book.ts'
import { signedInPerson, signIn } from '../support/signed-in-person.ts'
import { createTeamClient } from '../support/team-client.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

test.for([
  ['a report', async () => '/report', { type: 'idea', title: 'Kept summary', body: 'Typed <long> report' }],
  [
    'the details of a book',
    async (owner: { id: string }) => `/books/${await makeBook(server, owner)}/details`,
    { title: 'Kept title', description: 'Typed <long> description', prompt: 'Kept instruction' },
  ],
] as const)(
  '%s that is sent after the session has ended keeps its text, and can be sent after a sign-in',
  async ([, pathOf, fields]) => {
    const { browser, account, email } = await signedInPerson(server)
    const path = await pathOf(account)
    const { text } = await browser.get(path)
    await server.running.opened.services.webSessions.endAll(account.id)
    const typed = Object.values(fields).map((value) => value.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
    const ended = await browser.post(path, { ...hiddenFields(text, path), ...fields })
    expect(ended.status).toBe(401)
    for (const value of typed) expect(ended.text).toContain(value)
    expect(ended.text).toContain(`/sign-in?next=${encodeURIComponent(path)}`)
    await signIn(browser, email)
    const stale = await browser.post(path, { ...hiddenFields(ended.text, path), ...fields })
    expect(stale.status).toBe(403)
    for (const value of typed) expect(stale.text).toContain(value)
    const sent = await browser.post(path, { ...hiddenFields(stale.text, path), ...fields })
    expect(sent.status).toBe(303)
  },
)

interface ShortFormCase {
  page: string
  path: string
  /** What somebody types. */
  typed: Record<string, string>
  /** What the form sends besides. */
  others?: Record<string, string>
  /** The status once it is sent in a session. Default: 303. */
  sent?: number
}

interface Places {
  book: string
  team: string
  department: string
}

const shortForms: Record<string, (places: Places) => ShortFormCase> = {
  'a new shelf': () => ({ page: '/shelves', path: '/shelves', typed: { name: 'Kept & new' } }),
  'a new team': () => ({ page: '/teams', path: '/teams', typed: { name: 'Kept & team' } }),
  'an invitation': ({ team }) => ({
    page: `/teams/${team}`,
    path: `/teams/${team}/invite`,
    typed: { email: 'kept@lectern.example' },
    others: { role: 'MEMBER' },
  }),
  'a new department': ({ team }) => ({
    page: `/teams/${team}`,
    path: `/teams/${team}/department`,
    typed: { name: 'Kept & department' },
  }),
  'the new name of a department': ({ team, department }) => ({
    page: `/teams/${team}`,
    path: `/teams/${team}/rename-department`,
    typed: { name: 'Kept & renamed' },
    others: { dept: department },
  }),
  'a shelf for a book': ({ book }) => ({
    page: `/books/${book}`,
    path: `/books/${book}/shelves`,
    typed: { newShelf: 'Kept & shelf' },
  }),
  'the tags of a listing': ({ book }) => ({
    page: `/books/${book}`,
    path: `/books/${book}/publish`,
    typed: { tags: 'kept, tags' },
    others: { category: 'devops' },
  }),
  'a shelf for selected books': ({ book }) => ({
    page: '/library',
    path: '/library/selection',
    typed: { name: 'Kept & selected' },
    others: { act: 'new-shelf', ids: book, back: '/library' },
  }),
  'the name of an account': () => ({ page: '/account', path: '/account/name', typed: { name: 'Kept & Ada' } }),
  'the name of a key': () => ({
    page: '/keys',
    path: '/keys',
    typed: { name: 'Kept & key' },
    others: { scopes: 'library:read', current: 'a secret' },
    sent: 200,
  }),
}

test.for(Object.entries(shortForms))(
  '%s that is typed into a form whose session has ended can be sent after a sign-in',
  async ([, caseOf]) => {
    const { browser, account, email } = await signedInPerson(server)
    const { services } = server.running.opened
    const teams = createTeamClient(server)
    const { key } = await createApiKey(services, account.id, {})
    const owner = { id: account.id, email, key }
    const team = await teams.createTeam(owner)
    const department = await teams.createDepartment(team, owner, 'First')
    const places = { book: await makeBook(server, account), team, department }
    const { page, path, typed, others = {}, sent: expected = 303 } = caseOf(places)
    const shown = await browser.get(page)
    const fields = { ...hiddenFields(shown.text, path), ...others, ...typed }
    const values = Object.values(typed).map((value) => `value="${value.replaceAll('&', '&amp;')}"`)
    await services.webSessions.endAll(account.id)
    const ended = await browser.post(path, fields, { Referer: `${server.baseUrl}${page}` })
    expect(ended.status).toBe(401)
    for (const value of values) expect(ended.text).toContain(value)
    expect(ended.text).not.toContain('a secret')
    expect(ended.text).not.toContain('name="csrf"')
    expect(ended.text).toContain(`/sign-in?next=${encodeURIComponent(page)}`)
    await signIn(browser, email)
    // As the browser sends the form of that page: what it shows, and what it hides.
    const again = { ...hiddenFields(ended.text, path), ...typed }
    const stale = await browser.post(path, again)
    expect(stale.status).toBe(403)
    for (const value of values) expect(stale.text).toContain(value)
    const sent = await browser.post(path, { ...again, ...hiddenFields(stale.text, path) })
    expect(sent.status).toBe(expected)
  },
)

test('a form without typed text leads to the sign-in page, also one that could have some', async () => {
  const { browser, account } = await signedInPerson(server)
  const { text } = await browser.get('/shelves')
  await server.running.opened.services.webSessions.endAll(account.id)
  const hidden = hiddenFields(text, '/shelves')
  for (const [path, fields] of [
    ['/shelves', { name: ' ' }],
    ['/shelves/delete', { shelf: 'none' }],
    ['/teams/none/remove', { email: 'reader@lectern.example' }],
    ['/teams/none/constructor', { name: 'x' }],
  ] as const) {
    const answer = await browser.post(path, { ...hidden, ...fields }, { Referer: `${server.baseUrl}/shelves` })
    expect(answer.location).toBe('/sign-in?next=%2Fshelves&done=ended')
  }
})

test('another site cannot make the page show a form', async () => {
  const { browser, account } = await signedInPerson(server)
  await server.running.opened.services.webSessions.endAll(account.id)
  const answer = await browser.post('/shelves', { name: 'Planted' }, { Origin: 'https://evil.example' })
  expect(answer.status).toBe(403)
  expect(answer.text).not.toContain('Planted')
})
