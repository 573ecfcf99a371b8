import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../src/accounts/create-api-key.ts'
import { hashApiKey, newApiKey } from '../src/accounts/api-key.ts'
import { isWriting } from '../src/scopes.ts'
import { tools } from '../tools/index.ts'
import { doors, type Answer } from './support/doors.ts'
import { makeBook, pagesOf } from './support/make-book.ts'
import { startTestServer, type Person, type TestServer } from './support/server.ts'
import { sendFile } from './support/uploads.ts'
import { smallBooks } from './support/small-books.ts'

/** What of the owner's a foreign caller names. */
interface Things {
  book: string
  shelf: string
  manuscript: string
  session: string
  upload: { itemId: string; storageKey: string }
  job: string
}

/** What the call of a stranger answers: a refusal that looks like a missing object, or an answer without anything of the owner's. */
type Foreign = { status: 404; code: string | null } | 'nothing of the owner'

interface Row {
  /** A call that the owner could make. */
  input: (things: Things) => Record<string, unknown>
  foreign: Foreign
}

const missing: Foreign = { status: 404, code: 'NOT_FOUND' }
const missingBare: Foreign = { status: 404, code: null }
const noShelf: Foreign = { status: 404, code: 'SHELF_NOT_FOUND' }
const nothing: Foreign = 'nothing of the owner'
const none = () => ({})

/** Every capability; a tool without a row fails. */
const table: Record<string, Row> = {
  whoami: { input: none, foreign: nothing },
  library_summary: { input: none, foreign: nothing },
  list_items: { input: none, foreign: nothing },
  search_items: { input: () => ({ query: 'secret' }), foreign: nothing },
  get_table_of_contents: { input: ({ book }) => ({ ids: [book] }), foreign: nothing },
  read_items: { input: ({ book }) => ({ items: [{ id: book }] }), foreign: nothing },
  get_item_content: { input: ({ book }) => ({ id: book }), foreign: missingBare },
  create_markdown_item: { input: () => ({ title: 'Mine', content: 'x' }), foreign: nothing },
  append_item_pages: { input: ({ book }) => ({ id: book, content: '# New\n' }), foreign: missing },
  put_item_page: { input: ({ book }) => ({ id: book, pageNum: 1, content: '# New\n' }), foreign: missing },
  put_item_content: { input: ({ book }) => ({ id: book, content: '# New\n' }), foreign: missing },
  enrich_item: { input: ({ book }) => ({ itemId: book, title: 'New' }), foreign: missing },
  flag_item: { input: ({ book }) => ({ itemId: book }), foreign: missing },
  reprocess_item: { input: ({ book }) => ({ itemId: book }), foreign: missing },
  delete_items: { input: ({ book }) => ({ ids: [book] }), foreign: nothing },
  list_item_versions: { input: ({ book }) => ({ id: book }), foreign: missing },
  restore_item_version: { input: ({ book }) => ({ id: book, version: 1 }), foreign: missing },
  list_shelves: { input: none, foreign: nothing },
  get_shelf: { input: ({ shelf }) => ({ shelf }), foreign: noShelf },
  create_shelf: { input: () => ({ name: 'Mine' }), foreign: nothing },
  update_shelf: { input: ({ shelf }) => ({ shelf, name: 'New' }), foreign: noShelf },
  delete_shelf: { input: ({ shelf }) => ({ shelf }), foreign: noShelf },
  add_to_shelf: { input: ({ shelf, book }) => ({ shelf, itemIds: [book] }), foreign: noShelf },
  remove_from_shelf: { input: ({ shelf, book }) => ({ shelf, itemIds: [book] }), foreign: noShelf },
  list_manuscripts: { input: none, foreign: nothing },
  create_manuscript: {
    input: ({ book }) => ({ title: 'Mine', itemId: book }),
    foreign: { status: 404, code: 'ITEM_NOT_FOUND' },
  },
  update_manuscript: { input: ({ manuscript }) => ({ manuscriptId: manuscript, title: 'New' }), foreign: missing },
  archive_manuscript: { input: ({ manuscript }) => ({ manuscriptId: manuscript }), foreign: missing },
  get_usable_books: { input: none, foreign: nothing },
  pick_usable_books: { input: ({ book }) => ({ ids: [book] }), foreign: missing },
  start_access_session: { input: none, foreign: nothing },
  complete_access_session: { input: ({ session }) => ({ sessionId: session }), foreign: missingBare },
  check_upload: { input: () => ({ filename: 'secret.pdf' }), foreign: nothing },
  start_upload: {
    input: () => ({ filename: 'mine.pdf', size: 10, contentType: 'application/pdf' }),
    foreign: nothing,
  },
  confirm_upload: { input: ({ upload }) => upload, foreign: missingBare },
  list_jobs: { input: none, foreign: nothing },
  get_job: { input: ({ job }) => ({ jobId: job }), foreign: missing },
  cancel_job: { input: ({ job }) => ({ jobId: job }), foreign: missing },
  get_config: { input: none, foreign: nothing },
  update_config: { input: () => ({ planMode: 'ask' }), foreign: nothing },
  switch_agent: { input: () => ({ op: 'disable', agent: 'codex' }), foreign: nothing },
  report_agents: { input: () => ({ machineId: 'machine-1', agents: [] }), foreign: nothing },
  list_machines: { input: none, foreign: nothing },
  list_notifications: { input: none, foreign: nothing },
  mark_notifications_read: { input: ({ job }) => ({ ids: [job] }), foreign: nothing },
  send_report: { input: () => ({ title: 'A title', body: 'A body' }), foreign: nothing },
  get_value_report: { input: none, foreign: nothing },
  list_report_sessions: { input: none, foreign: nothing },
}

/** Routes that take a browser's session and no key: every key is refused there, whoever holds it. */
const sessionOnly = ['list_api_keys', 'create_api_key', 'revoke_api_key']

let server: TestServer
let owner: Person
let things: Things
const secret = 'secretword'

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person()
  const { services } = server.running.open
  const call = async (tool: string, input: Record<string, unknown>) => {
    const [, [, door]] = doors as [unknown, [string, (typeof doors)[number][1]]]
    return (await door.call(server, owner, tool, input)).body
  }
  const book = await makeBook(server, owner, { title: `A ${secret} book`, content: pagesOf(3) })
  const shelf = (await call('create_shelf', { name: `${secret} shelf` })).id
  const { manuscript } = await call('create_manuscript', { title: `${secret} manuscript` })
  const { sessionId } = await call('start_access_session', { intent: `${secret} intent` })
  const upload = await sendFile(server, owner, { filename: `${secret}.pdf`, bytes: await smallBooks.pdf() })
  const job = await ownJob(services)
  things = { book, shelf, manuscript: manuscript.id, session: sessionId, upload, job }
})
afterAll(() => server.close())

async function ownJob(services: TestServer['running']['open']['services']): Promise<string> {
  const { itemId, storageKey } = await sendFile(server, owner, { filename: 'other.pdf', bytes: await smallBooks.pdf() })
  const [, door] = doors[0] as [string, (typeof doors)[number][1]]
  const { body } = await door.call(server, owner, 'confirm_upload', { itemId, storageKey })
  for (;;) {
    const job = await services.jobs.byId(owner.id, body.job.id)
    if (job?.status === 'SUCCEEDED') return job.id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Keys that must never let anybody in, and what REST says to each. */
async function badKeys(): Promise<[caller: string, key: string, status: number, says: RegExp][]> {
  const { services, database } = server.running.open
  const person = await server.person()
  const expired = await createApiKey(services, person.id, { expiresAt: new Date(Date.now() - 1000) })
  const revoked = await createApiKey(services, person.id, {})
  await services.accounts.revokeKey(person.id, revoked.id, new Date())
  const suspended = await server.person()
  await services.accounts.change(suspended.id, { suspendedAt: new Date() })
  expect(await database.db.collection<{ _id: string }>('keys').findOne({ _id: hashApiKey(expired.key) })).not.toBeNull()
  return [
    ['garbage', 'not-a-key', 401, /Invalid API key format/],
    ['a key that never was', newApiKey(), 401, /Invalid or revoked API key/],
    ['an expired key', expired.key, 401, /Invalid or revoked API key/],
    ['a revoked key', revoked.key, 401, /Invalid or revoked API key/],
    ['a suspended account', suspended.key, 403, /suspended/],
  ]
}

function hasDoor(name: string, door: string): boolean {
  const tool = tools.find((candidate) => candidate.name === name)
  return door === 'rest' ? tool?.rest !== undefined : tool?.mcp !== false
}

/** Every call starts with fresh rate buckets: what is tested here is who may, not how often. */
async function callAs(key: string, door: (typeof doors)[number], name: string): Promise<Answer> {
  const { db } = server.running.open.database
  await db.collection('rates').deleteMany({})
  return door[1].call(server, { key }, name, (table[name] as Row).input(things))
}

test('every tool has a row, and every row a tool', () => {
  expect([...Object.keys(table), ...sessionOnly].sort()).toEqual(tools.map(({ name }) => name).sort())
})

describe.for(doors)('over %s', (door) => {
  const names = Object.keys(table).filter((name) => hasDoor(name, door[0]))

  test('nobody comes in without a key', async () => {
    for (const name of names) {
      const answer = await callAs('', door, name)
      expect([name, answer.status]).toEqual([name, 401])
    }
  })

  test('bad keys are refused everywhere', async () => {
    for (const [caller, key, status, says] of await badKeys()) {
      for (const name of names) {
        const answer = await callAs(key, door, name)
        expect([caller, name, answer.status]).toEqual([caller, name, status])
        expect(answer.body.error).toMatch(says)
      }
    }
  })

  test('an OAuth token of another audience is refused everywhere', async () => {
    for (const name of names) {
      const answer = await callAs('ck_oauth_0123456789abcdef', door, name)
      const apiKeyOnly = ['switch_agent', 'report_agents', 'list_machines'].includes(name)
      expect([name, answer.status]).toEqual([name, apiKeyOnly && door[0] === 'rest' ? 403 : 401])
    }
  })

  test('a read-only key reads and never writes', async () => {
    const reader = await server.person({ scopes: ['library:read'] })
    for (const name of names) {
      const tool = tools.find((candidate) => candidate.name === name)
      const answer = await callAs(reader.key, door, name)
      if (tool && isWriting(tool.scope)) {
        expect([name, answer.status]).toEqual([name, 403])
        expect(String(answer.body.code).toUpperCase()).toBe('INSUFFICIENT_SCOPE')
      } else expect([name, answer.status === 403]).toEqual([name, false])
    }
  })

  test('what belongs to somebody else looks as if it were not there', async () => {
    for (const name of names) {
      const stranger = await server.person()
      const { foreign } = table[name] as Row
      const answer = await callAs(stranger.key, door, name)
      expect(answer.text).not.toContain(secret)
      if (foreign === 'nothing of the owner') {
        expect([name, answer.ok]).toEqual([name, true])
        continue
      }
      expect([name, answer.ok]).toEqual([name, false])
      if (door[0] === 'rest') expect([name, answer.status, answer.body.code ?? null]).toEqual([name, 404, foreign.code])
      const unknown = await unknownObject(stranger.key, door, name)
      const wording = ({ body }: Answer) => String(body.error).replaceAll(/0m[a-z0-9]{24}/g, 'ID')
      expect([name, wording(unknown)]).toEqual([name, wording(answer)])
    }
  })
})

/** The same call naming something that never was. */
async function unknownObject(key: string, door: (typeof doors)[number], name: string): Promise<Answer> {
  const id = '0mzzzzzzzzzzzzzzzzzzzzzzzz'
  const upload = { itemId: id, storageKey: `incoming/${id}/${id}.pdf` }
  const unknown = { book: id, shelf: id, manuscript: id, session: id, job: id, upload }
  return door[1].call(server, { key }, name, (table[name] as Row).input(unknown))
}
