import { beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { teamActions } from '../../src/web/pages/teams/team-actions.ts'
import { mountedPaths } from '../support/mounted-pages.ts'
import {
  changedRows,
  giveThings,
  rowsOf,
  unknownThings,
  type KindOfThing,
  type OwnedThings,
} from '../support/owned-things.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, type Fields, type PageAnswer, type WebClient } from '../support/web-client.ts'

/**
 * Each page and each form with a thing of another account, then with one that does not exist: a stranger gets the same answers, and
 * they neither change nor show what the owner has.
 */
const server = useTestServer({ LECTERN_IMPORT_URL: 'https' })
const mark = 'xyzzyowner'
let owner: Person
let theirs: OwnedThings
let mine: OwnedThings
let browser: WebClient
let csrf: string
/** Makes names and keys unique. */
let sends = 0

beforeAll(async () => {
  owner = await server.createPerson()
  theirs = await giveThings(server, owner, mark)
  const stranger = await signedInPerson(server)
  const { key } = await createApiKey(server.running.opened.services, stranger.account.id, {})
  mine = await giveThings(server, { id: stranger.account.id, email: stranger.email, key }, 'mine')
  browser = stranger.browser
  csrf = hiddenFields((await browser.get('/account')).text, '/sign-out')['csrf'] ?? ''
}, 120_000)

const books: KindOfThing[] = ['book', 'fileBook', 'deletedBook', 'uploadedBook']

/** What `:id` names, by the first part of a path. Tokens are credentials. */
const namedByPath: Record<string, KindOfThing[]> = { books, teams: ['team'], support: ['report'] }

/** The fields of queries that can name a thing. */
const inQueries: [name: string, ...valuesOf: ((things: OwnedThings) => string)[]][] = [
  ['shelf', ({ shelf }) => shelf, ({ shelfSlug }) => shelfSlug],
  ['item', ({ book }) => book, ({ uploadedBook }) => uploadedBook],
  ['like', ({ book }) => `${book}:1`, ({ fileBook }) => `${fileBook}:1`],
  ['q', ({ title }) => title, ({ filename }) => filename],
  ['title', ({ title }) => title],
  ['cursor', ({ book }) => book],
  ['after', ({ book }) => book],
  ['added', ({ book }) => book, ({ deletedBook }) => deletedBook],
  ['deleted', ({ book }) => book, ({ deletedBook }) => deletedBook],
  ['returned', ({ book }) => book, ({ deletedBook }) => deletedBook],
  ['account', ({ account }) => account],
]

/** A request that names a thing of `things`. */
type Naming = (things: OwnedThings) => { path: string; fields?: Fields; json?: object }

function filledPath(path: string, { figure, ...things }: OwnedThings, kind: KindOfThing): string {
  const others: Record<string, string> = {
    page: '1',
    place: '1',
    figure,
    action: 'leave',
    id: String({ ...things, figure }[kind]),
  }
  return path.replaceAll(/:(\w+)/g, (_, name: string) => others[name] ?? name)
}

/** Paths whose parameter is a credential. */
const withCredential = /:token|:uid|:scheme/
/** Those, an event stream, the archive of the caller's own account, and the documentation. */
const unread = /:token|:uid|:scheme|^\/imports\/events$|^\/account\/export$|^\/docs/

/** The requests for a page that name a thing: in its path, or in a field of its query. */
function viewsOf(path: string): Naming[] {
  const kinds = namedByPath[path.split('/')[1] ?? '']
  if (kinds && path.includes('/:id')) return kinds.map((kind) => (things) => ({ path: filledPath(path, things, kind) }))
  return Object.values(inQueries).flatMap(([name, ...valuesOf]) =>
    valuesOf.map((valueOf): Naming => (things) => ({ path: `${path}?${name}=${encodeURIComponent(valueOf(things))}` })),
  )
}

/** The kinds of things that each form can name, by its path and its field, with further fields. */
const named: Record<string, [field: string, kinds: readonly KindOfThing[], others?: (own: OwnedThings) => Fields][]> = {
  '/account/sessions/end': [['id', ['session']]],
  '/add': [['shelf', ['shelf']]],
  '/add/url': [['shelf', ['shelf'], () => ({ url: 'https://127.0.0.1/x.pdf' })]],
  '/discover/add': [['listing', ['listing']]],
  '/discover/remove': [['listing', ['listing']]],
  '/imports/cancel': [['job', ['job']]],
  '/imports/delete': [['item', books]],
  '/imports/retry': [['item', books]],
  '/keys/revoke': [['id', ['keyId']]],
  '/library/delete': [['ids', books]],
  '/library/deleted': [
    ['ids', books, () => ({ action: 'erase' })],
    ['ids', books, () => ({ action: 'undelete' })],
  ],
  '/library/selection': [
    ['ids', books, ({ shelf }) => ({ act: 'shelve', shelf })],
    ['shelf', ['shelf', 'shelfSlug'], ({ book }) => ({ act: 'shelve', ids: book })],
    ['ids', books, () => ({ act: 'new-shelf', name: `New ${++sends}` })],
    ['ids', books, () => ({ act: 'shelve', shelf: 'new' })],
    ['ids', books, ({ shelf }) => ({ act: 'unshelve', from: shelf })],
    ['from', ['shelf', 'shelfSlug'], ({ book }) => ({ act: 'unshelve', ids: book })],
    ['ids', books, ({ team }) => ({ act: 'share', team })],
    ['team', ['team'], ({ book }) => ({ act: 'share', ids: book })],
  ],
  '/library/usable': [['ids', books]],
  '/notifications/read': [['id', ['notification']]],
  '/shelves/change': [['shelf', ['shelf', 'shelfSlug'], () => ({ name: 'New' })]],
  '/shelves/delete': [['shelf', ['shelf', 'shelfSlug']]],
  '/shelves/move': [['shelf', ['shelf', 'shelfSlug'], () => ({ position: '0' })]],
  '/books/:id/requests': [['requests', ['gap'], () => ({ act: 'dismiss', topic: 'x' })]],
  '/books/:id/share': [['team', ['team']]],
  '/books/:id/unshare': [['team', ['team']]],
  '/books/:id/shelves': [['shelf', ['shelf', 'shelfSlug'], () => ({ newShelf: '' })]],
  '/books/:id/withdraw': [['listing', ['listing']]],
}

/** The actions of the page of a team. */
const actionFields: Fields = {
  email: 'reader1@lectern.example',
  role: 'ADMIN',
  name: 'New',
  dept: 'x',
  accessLevel: 'WRITE',
}

/** The forms that name nothing of somebody else: those of the session itself, and those with a credential. */
const nameless = new Set([
  ...['', '/confirm', '/confirm-email', '/confirm-email/send', '/delete', '/email', '/meaning-search', '/name'].map(
    (path) => `/account${path}`,
  ),
  '/account/new-email',
  '/account/password',
  '/account/sessions/end-all',
  '/add/markdown',
  '/cli-auth',
  '/connections/disconnect',
  '/keys',
  '/notifications/read-all',
  '/reading-preferences',
  '/report',
  '/reset',
  '/reset/request',
  '/setup',
  '/shelves',
  '/sign-in',
  '/sign-out',
  '/sign-up',
  '/sign-up/confirm',
  '/teams',
])

/** The routes of the script that adds books, which take JSON. */
const scripted: Record<string, (things: OwnedThings, own: OwnedThings) => { query?: string; json: object }> = {
  '/add/bytes': ({ uploadedBook }) => ({ query: `?item=${uploadedBook}`, json: {} }),
  '/add/cancel': ({ uploadedBook }) => ({ json: { itemId: uploadedBook } }),
  '/add/check': ({ filename, sha256 }) => ({ json: { filename, sha256 } }),
  '/add/confirm': ({ uploadedBook, storageKey }) => ({ json: { itemId: uploadedBook, storageKey } }),
  '/add/shelve': ({ book }, { shelf }) => ({ json: { itemId: book, shelf } }),
  '/add/start': () => ({ json: {} }),
}

/** The requests for a form that name a thing: in its path, or in a field. */
function formsOf(path: string): Naming[] {
  const script = scripted[path]
  if (script) {
    return [(things) => ({ path: path + (script(things, mine).query ?? ''), json: script(things, mine).json })]
  }
  if (path === '/teams/:id/:action') {
    const actions = Object.keys(teamActions)
    return actions.map((action) => ({ team, book }) => ({
      path: `/teams/${team}/${action}`,
      fields: { ...actionFields, itemId: book },
    }))
  }
  const kinds = path.includes('/:id') ? (namedByPath[path.split('/')[1] ?? ''] ?? []) : []
  const inPath = kinds.map((kind): Naming => (things) => ({
    path: filledPath(path, things, kind),
    fields: {
      version: '1',
      text: 'x',
      title: 'New',
      subcategory: 'x',
      intent: 'x',
      category: 'other',
      act: 'done',
      topic: 'x',
    },
  }))
  const inFields = (named[path] ?? []).flatMap(([field, fieldKinds, others = () => ({})]) =>
    fieldKinds.map((kind): Naming => (things) => ({
      path: filledPath(path, mine, 'book'),
      fields: { ...others(mine), [field]: things[kind] },
    })),
  )
  return [...inPath, ...inFields]
}

/** A name as it is, in addresses and in forms. */
const formsOfName = (name: string) => [encodeURIComponent(name), name, encodeURIComponent(name).replaceAll('%20', '+')]

/** An answer without what differs at each request. */
function comparable({ status, text, headers, location }: PageAnswer, used: readonly string[]): string {
  const neutral = (value: string) =>
    used
      .reduce((rest, name) => formsOfName(name).reduce((shown, form) => shown.replaceAll(form, 'NAMED'), rest), value)
      .replaceAll(/0m[a-z0-9]{24}/g, 'ID')
      .replaceAll(/[\w-]{86}/g, 'TOKEN')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  const varying = /^(date|x-request-id|content-length|etag|keep-alive|connection|location|ratelimit-.*)$/
  const fields = [...headers].filter(([name]) => !varying.test(name))
  return neutral(JSON.stringify({ status, location, text, fields }))
}

const excerpt = (text: string) => text.slice(Math.max(0, text.indexOf(mark) - 200)).slice(0, 400)

/** The texts around the first place in which two answers differ. */
function firstDifference(one: string, other: string): string {
  const at = [...one].findIndex((letter, index) => letter !== other[index])
  const [here, there] = [one, other].map((text) => text.slice(Math.max(0, at - 60), at + 100))
  return `“${here}” is not “${there}”`
}

/** Makes a request with the things of the owner and with things that do not exist; returns what is wrong. */
async function attempt(naming: Naming): Promise<string[]> {
  const [foreign, missing] = [await send(naming(theirs)), await send(naming(unknownThings(theirs)))]
  const [one, other] = [
    comparable(foreign, Object.values(theirs)),
    comparable(missing, Object.values(unknownThings(theirs))),
  ]
  const what = JSON.stringify(naming(theirs))
  const shown = Object.values(theirs)
    .flatMap(formsOfName)
    .reduce((rest, name) => rest.replaceAll(name, ''), foreign.text)
  return [
    ...(one === other ? [] : [`${what}: ${firstDifference(one, other)}`]),
    ...([mark, owner.email].some((word) => shown.includes(word)) ? [`${what} shows ${excerpt(shown)}`] : []),
    ...(foreign.status >= 500 ? [`${what}: ${foreign.status}`] : []),
  ]
}

async function send({ path, fields, json }: ReturnType<Naming>): Promise<PageAnswer> {
  await server.running.opened.database.db.collection('rates').deleteMany({})
  if (json) return browser.postJson(path, json, { 'X-CSRF-Token': csrf })
  return fields ? browser.post(path, { csrf, send: `${++sends}`, ...fields }) : browser.get(path)
}

test('it is known of every form what it names', () => {
  const forms = mountedPaths(server, 'POST')
  const unclear = forms.filter(
    (path) => !withCredential.test(path) && !nameless.has(path) && formsOf(path).length === 0,
  )
  expect(unclear, 'add the form to `named` or to `nameless`').toEqual([])
})

test.for([
  ['page', 'GET', viewsOf],
  ['form', 'POST', formsOf],
] as const)(
  'no %s shows a stranger more than that there is nothing',
  { timeout: 300_000 },
  async ([, method, requestsOf]) => {
    const wrong: string[] = []
    let sent = 0
    for (const path of mountedPaths(server, method).filter((each) => !unread.test(each))) {
      const before = await rowsOf(server, theirs)
      for (const naming of requestsOf(path)) {
        wrong.push(...(await attempt(naming)))
        sent += 1
      }
      wrong.push(...changedRows(before, await rowsOf(server, theirs)).map((row) => `${path} changed ${row}`))
    }
    expect(wrong).toEqual([])
    expect(sent).toBeGreaterThan(80)
    expect((await browser.get('/account')).status).toBe(200)
  },
)
