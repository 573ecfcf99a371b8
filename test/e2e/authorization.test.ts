import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { hashApiKey, newApiKey } from '../../src/accounts/api-key.ts'
import { isWriting } from '../../src/core/scopes.ts'
import { tools } from '../../tools/index.ts'
import { doors, type Answer } from '../support/transports.ts'
import { everyTool, hasDoor, isOpen, sessionOnly, type Row, type Things } from '../support/tool-cases.ts'
import { makeBook, pagesOf } from '../support/make-book.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { sendFile } from '../support/uploads.ts'
import { program } from '../support/oauth.ts'
import { smallBooks } from '../support/small-books.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

let server: TestServer
let owner: Person
let things: Things
const secret = 'secretword'

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.person()
  const { services } = server.running.open
  const call = async (tool: string, input: Record<string, unknown>) => {
    const [, door] = doors[hasDoor(tool, 'mcp') ? 1 : 0] as (typeof doors)[number]
    return (await door.call(server, owner, tool, input)).body
  }
  const book = await makeBook(server, owner, { title: `A ${secret} book`, content: pagesOf(3) })
  const shelf = (await call('create_shelf', { name: `${secret} shelf` })).id
  const { manuscript } = await call('create_manuscript', { title: `${secret} manuscript` })
  const { sessionId } = await call('start_access_session', { intent: `${secret} intent` })
  const upload = await sendFile(server, owner, { filename: `${secret}.pdf`, bytes: await smallBooks.pdf() })
  const job = await ownJob(services)
  const published = await call('publish_listing', { itemId: book })
  const listing = published.listing.id
  await call('withdraw_listing', { id: listing })
  const team = (await call('create_team', { name: `${secret} team` })).team.id
  const invited = await call('invite_team_member', { teamId: team, email: `${secret}@lectern.example` })
  const invite = invited.invite.url.split('/').at(-1)
  things = { listing, book, shelf, manuscript: manuscript.id, session: sessionId, upload, job, team, invite }
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

/** Every call starts with fresh rate buckets: what is tested here is who may, not how often. */
async function callAs(key: string, door: (typeof doors)[number], name: string): Promise<Answer> {
  const { db } = server.running.open.database
  await db.collection('rates').deleteMany({})
  return door[1].call(server, { key }, name, (everyTool[name] as Row).input(things))
}

test('every tool has a row, and every row a tool', () => {
  expect([...Object.keys(everyTool), ...sessionOnly].sort()).toEqual(tools.map(({ name }) => name).sort())
})

describe.for(doors)('over %s', (door) => {
  const names = Object.keys(everyTool).filter((name) => hasDoor(name, door[0]))
  const keyed = names.filter((name) => !isOpen(name, door[0]))

  test('nobody comes in without a key', async () => {
    for (const name of keyed) {
      const answer = await callAs('', door, name)
      expect([name, answer.status]).toEqual([name, 401])
    }
  })

  test('bad keys are refused everywhere', async () => {
    for (const [caller, key, status, says] of await badKeys()) {
      for (const name of keyed) {
        const answer = await callAs(key, door, name)
        expect([caller, name, answer.status]).toEqual([caller, name, status])
        expect(answer.body.error).toMatch(says)
      }
    }
  })

  test('an OAuth token of another audience is refused everywhere', async () => {
    for (const name of keyed) {
      const answer = await callAs('ck_oauth_0123456789abcdef', door, name)
      const apiKeyOnly = ['switch_agent', 'report_agents', 'list_machines'].includes(name)
      expect([name, answer.status]).toEqual([name, apiKeyOnly && door[0] === 'rest' ? 403 : 401])
    }
  })

  test('an OAuth token is for MCP alone, and for the scopes that were allowed', async () => {
    const { browser } = await signedInPerson(server)
    const app = await program(server)
    const { access_token: key } = await app.connect(browser, { scopes: ['library:read', 'marketplace:read'] })
    for (const name of keyed) {
      const answer = await callAs(key, door, name)
      const apiKeyOnly = ['switch_agent', 'report_agents', 'list_machines'].includes(name)
      if (door[0] === 'rest') expect([name, answer.status]).toEqual([name, apiKeyOnly ? 403 : 401])
      else {
        const writes = isWriting(tools.find((tool) => tool.name === name)?.scope ?? 'library:write')
        expect([name, answer.status]).toEqual([name, writes ? 403 : 200])
      }
    }
  })

  test('a read-only key reads and never writes', async () => {
    const reader = await server.person({ scopes: ['library:read', 'marketplace:read'] })
    for (const name of names) {
      const tool = tools.find((candidate) => candidate.name === name)
      const answer = await callAs(reader.key, door, name)
      if (tool && isWriting(tool.scope)) {
        expect([name, answer.status]).toEqual([name, 403])
        expect(String(answer.body.code).toUpperCase()).toBe('INSUFFICIENT_SCOPE')
      } else expect([name, answer.body.code === 'INSUFFICIENT_SCOPE']).toEqual([name, false])
    }
  })

  test('what belongs to somebody else looks as if it were not there', async () => {
    for (const name of names) {
      const stranger = await server.person()
      const { foreign } = everyTool[name] as Row
      const answer = await callAs(stranger.key, door, name)
      expect(answer.text).not.toContain(secret)
      if (foreign === 'nothing of the owner') {
        expect([name, answer.ok]).toEqual([name, true])
        continue
      }
      expect([name, answer.ok]).toEqual([name, false])
      if (door[0] === 'rest')
        expect([name, answer.status, answer.body.code ?? null]).toEqual([name, foreign.status, foreign.code])
      const unknown = await unknownObject(stranger.key, door, name)
      const wording = ({ body }: Answer) => String(body.error).replaceAll(/0m[a-z0-9]{24}/g, 'ID')
      expect([name, wording(unknown)]).toEqual([name, wording(answer)])
    }
  })
})

/** What a call about a book answers to those who came to it by a subscription, a READ share and a WRITE share. */
const byGrant: Record<string, [subscriber: string, reader: string, writer: string]> = {
  get_table_of_contents: ['ok', 'ok', 'ok'],
  read_items: ['ok', 'ok', 'ok'],
  get_item_content: ['ok', 'ok', 'ok'],
  append_item_pages: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  put_item_page: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  put_item_content: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  enrich_item: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  flag_item: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
  reprocess_item: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
  delete_items: ['not found', 'not found', 'not found'],
  list_item_versions: ['ok', 'ok', 'ok'],
  restore_item_version: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  create_manuscript: ['ITEM_NOT_FOUND', 'ITEM_NOT_FOUND', 'ITEM_NOT_FOUND'],
  list_book_gaps: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  resolve_book_gap: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  restore_book_gap: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  dismiss_book_gap: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  update_book_gap: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  report_book_gap: ['ok', 'ok', 'ok'],
  pick_usable_books: ['ok', 'NOT_FOUND', 'NOT_FOUND'],
  publish_listing: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
  check_citations: ['ok', 'ok', 'ok'],
  fetch: ['ok', 'ok', 'ok'],
}

describe.for(doors)('a book of somebody else over %s', (door) => {
  /** Calls that name a book and nothing else of the owner's. */
  const aboutBooks = Object.keys(everyTool).filter((name) => {
    const named: string[] = []
    const seen = new Proxy({} as Things, {
      get(_, part) {
        named.push(String(part))
        return part === 'upload' ? {} : 'x'
      },
    })
    everyTool[name]?.input(seen)
    return named.length > 0 && named.every((part) => part === 'book') && hasDoor(name, door[0])
  })

  test.for([
    ['subscribers', 0],
    ['readers of a team', 1],
    ['writers of a team', 2],
  ] as const)('%s may do what the table says', async ([, column]) => {
    const person = await server.person()
    const book = await makeBook(server, owner, { title: 'Shared', content: pagesOf(3) })
    await grant(person, book, column)
    for (const name of aboutBooks) {
      await server.running.open.database.db.collection('rates').deleteMany({})
      const answer = await door[1].call(server, person, name, (everyTool[name] as Row).input({ ...things, book }))
      const wanted = byGrant[name]?.[column] ?? 'nothing: the table has no row'
      expect([name, outcomeOf(name, answer)]).toEqual([name, wanted])
    }
  })
})

async function grant(person: Person, book: string, column: 0 | 1 | 2): Promise<void> {
  const [[, rest]] = doors as [(typeof doors)[number]]
  const call = async (caller: Person, tool: string, input: Record<string, unknown>) => {
    const { ok, body, text } = await rest.call(server, caller, tool, input)
    if (!ok) throw new Error(`${tool}: ${text}`)
    return body
  }
  if (column === 0) {
    const { listing } = await call(owner, 'publish_listing', { itemId: book })
    await call(person, 'subscribe_marketplace', { listingId: listing.id })
    return
  }
  const { team } = await call(owner, 'create_team', { name: 'Grants' })
  const { invite } = await call(owner, 'invite_team_member', { teamId: team.id, email: person.email })
  await call(person, 'accept_invite', { token: invite.url.split('/').at(-1) })
  await call(owner, 'share_item', { teamId: team.id, itemId: book, accessLevel: column === 2 ? 'WRITE' : 'READ' })
}

/** In one word; refusals without a code by their status. */
function outcomeOf(name: string, { ok, status, body }: Answer): string {
  if (name === 'delete_items') return body.notFound?.length === 1 ? 'not found' : 'deleted'
  if (ok) return 'ok'
  return body.code ?? (status === 404 ? 'NOT_FOUND' : String(status))
}

/** The same call naming something that never was. */
async function unknownObject(key: string, door: (typeof doors)[number], name: string): Promise<Answer> {
  const id = '0mzzzzzzzzzzzzzzzzzzzzzzzz'
  const upload = { itemId: id, storageKey: `incoming/${id}/${id}.pdf` }
  const unknown = {
    listing: id,
    book: id,
    shelf: id,
    manuscript: id,
    session: id,
    job: id,
    upload,
    team: id,
    invite: id,
  }
  return door[1].call(server, { key }, name, (everyTool[name] as Row).input(unknown))
}
