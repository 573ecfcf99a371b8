import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { hashApiKey, generateApiKey } from '../../src/accounts/api-key.ts'
import { isWriteScope } from '../../src/core/scopes.ts'
import { tools } from '../../tools/index.ts'
import { transports, type ToolResponse } from '../support/transports.ts'
import {
  toolCases,
  hasTransport,
  isPublic,
  sessionOnly,
  type ToolCase,
  type OwnedObjects,
} from '../support/tool-cases.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import type { Person, TestServer } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { sendFile } from '../support/uploads.ts'
import { registerProgram } from '../support/oauth.ts'
import { inviteUrl } from '../../src/teams/present-team.ts'
import { smallBooks } from '../support/small-books.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

const server = useTestServer()
let owner: Person
let things: OwnedObjects
const secret = 'secretword'

beforeAll(async () => {
  owner = await server.createPerson()
  const { services } = server.running.opened
  const call = async (tool: string, input: Record<string, unknown>) => {
    const [, transport] = transports[hasTransport(tool, 'mcp') ? 1 : 0] as (typeof transports)[number]
    return (await transport.call(server, owner, tool, input)).body
  }
  const book = await makeBook(server, owner, { title: `A ${secret} book`, content: markdownPages(3) })
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
  const invite = inviteUrl(services, invited.invite.id, 'shown').split('/').at(-1) ?? ''
  things = { listing, book, shelf, manuscript: manuscript.id, session: sessionId, upload, job, team, invite }
})

async function ownJob(services: TestServer['running']['opened']['services']): Promise<string> {
  const { itemId, storageKey } = await sendFile(server, owner, { filename: 'other.pdf', bytes: await smallBooks.pdf() })
  const [, transport] = transports[0] as [string, (typeof transports)[number][1]]
  const { body } = await transport.call(server, owner, 'confirm_upload', { itemId, storageKey })
  for (;;) {
    const job = await services.jobs.byId(owner.id, body.job.id)
    if (job?.status === 'SUCCEEDED') return job.id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Keys that must never let anybody in, and what REST says to each. */
async function badKeys(): Promise<[caller: string, key: string, status: number, says: RegExp][]> {
  const { services, database } = server.running.opened
  const person = await server.createPerson()
  const expired = await createApiKey(services, person.id, { expiresAt: new Date(Date.now() - 1000) })
  const revoked = await createApiKey(services, person.id, {})
  await services.accounts.revokeKey(person.id, revoked.id, new Date())
  const suspended = await server.createPerson()
  await services.accounts.change(suspended.id, { suspendedAt: new Date() })
  expect(await database.db.collection<{ _id: string }>('keys').findOne({ _id: hashApiKey(expired.key) })).not.toBeNull()
  return [
    ['garbage', 'not-a-key', 401, /Invalid API key format/],
    ['a key that never was', generateApiKey(), 401, /Invalid or revoked API key/],
    ['an expired key', expired.key, 401, /Invalid or revoked API key/],
    ['a revoked key', revoked.key, 401, /Invalid or revoked API key/],
    ['a suspended account', suspended.key, 403, /suspended/],
  ]
}

/** Every call starts with fresh rate buckets: what is tested here is who may, not how often. */
async function callAs(key: string, transport: (typeof transports)[number], name: string): Promise<ToolResponse> {
  const { db } = server.running.opened.database
  await db.collection('rates').deleteMany({})
  return transport[1].call(server, { key }, name, (toolCases[name] as ToolCase).input(things))
}

test('every tool has a row, and every row a tool', () => {
  expect([...Object.keys(toolCases), ...sessionOnly].sort()).toEqual(tools.map(({ name }) => name).sort())
})

describe.for(transports)('over %s', (transport) => {
  const names = Object.keys(toolCases).filter((name) => hasTransport(name, transport[0]))
  const keyed = names.filter((name) => !isPublic(name, transport[0]))

  test('nobody comes in without a key', async () => {
    for (const name of keyed) {
      const answer = await callAs('', transport, name)
      expect([name, answer.status]).toEqual([name, 401])
    }
  })

  test('bad keys are refused everywhere', async () => {
    for (const [caller, key, status, says] of await badKeys()) {
      for (const name of keyed) {
        const answer = await callAs(key, transport, name)
        expect([caller, name, answer.status]).toEqual([caller, name, status])
        expect(answer.body.error).toMatch(says)
      }
    }
  })

  test('an OAuth token of another audience is refused everywhere', async () => {
    for (const name of keyed) {
      const answer = await callAs('ck_oauth_0123456789abcdef', transport, name)
      const apiKeyOnly = ['switch_agent', 'report_agents', 'list_machines'].includes(name)
      expect([name, answer.status]).toEqual([name, apiKeyOnly && transport[0] === 'rest' ? 403 : 401])
    }
  })

  test('an OAuth token is for MCP alone, and for the scopes that were allowed', async () => {
    const { browser } = await signedInPerson(server)
    const app = await registerProgram(server)
    const { access_token: key } = await app.connect(browser, { scopes: ['library:read', 'marketplace:read'] })
    for (const name of keyed) {
      const answer = await callAs(key, transport, name)
      const apiKeyOnly = ['switch_agent', 'report_agents', 'list_machines'].includes(name)
      if (transport[0] === 'rest') expect([name, answer.status]).toEqual([name, apiKeyOnly ? 403 : 401])
      else {
        const writes = isWriteScope(tools.find((tool) => tool.name === name)?.scope ?? 'library:write')
        expect([name, answer.status]).toEqual([name, writes ? 403 : 200])
      }
    }
  })

  test('a read-only key reads and never writes', async () => {
    const reader = await server.createPerson({ scopes: ['library:read', 'marketplace:read'] })
    for (const name of names) {
      const tool = tools.find((candidate) => candidate.name === name)
      const answer = await callAs(reader.key, transport, name)
      if (tool && isWriteScope(tool.scope)) {
        expect([name, answer.status]).toEqual([name, 403])
        expect(String(answer.body.code).toUpperCase()).toBe('INSUFFICIENT_SCOPE')
      } else expect([name, answer.body.code === 'INSUFFICIENT_SCOPE']).toEqual([name, false])
    }
  })

  test('what belongs to somebody else looks as if it were not there', async () => {
    for (const name of names) {
      const stranger = await server.createPerson()
      const { foreignOutcome: foreign } = toolCases[name] as ToolCase
      const answer = await callAs(stranger.key, transport, name)
      expect(answer.text).not.toContain(secret)
      if (foreign === 'no owner data') {
        expect([name, answer.ok]).toEqual([name, true])
        continue
      }
      expect([name, answer.ok]).toEqual([name, false])
      if (transport[0] === 'rest')
        expect([name, answer.status, answer.body.code ?? null]).toEqual([name, foreign.status, foreign.code])
      const unknown = await unknownObject(stranger.key, transport, name)
      const wording = ({ body }: ToolResponse) => String(body.error).replaceAll(/0m[a-z0-9]{24}/g, 'ID')
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
  purge_item_version: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
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

describe.for(transports)('a book of somebody else over %s', (transport) => {
  /** Calls that name a book and nothing else of the owner's. */
  const aboutBooks = Object.keys(toolCases).filter((name) => {
    const named: string[] = []
    const seen = new Proxy({} as OwnedObjects, {
      get(_, part) {
        named.push(String(part))
        return part === 'upload' ? {} : 'x'
      },
    })
    toolCases[name]?.input(seen)
    return named.length > 0 && named.every((part) => part === 'book') && hasTransport(name, transport[0])
  })

  test.for([
    ['subscribers', 0],
    ['readers of a team', 1],
    ['writers of a team', 2],
  ] as const)('%s may do what the table says', async ([, column]) => {
    const person = await server.createPerson()
    const book = await makeBook(server, owner, { title: 'Shared', content: markdownPages(3) })
    await grant(person, book, column)
    for (const name of aboutBooks) {
      await server.running.opened.database.db.collection('rates').deleteMany({})
      const answer = await transport[1].call(
        server,
        person,
        name,
        (toolCases[name] as ToolCase).input({ ...things, book }),
      )
      const wanted = byGrant[name]?.[column] ?? 'nothing: the table has no row'
      expect([name, outcomeOf(name, answer)]).toEqual([name, wanted])
    }
  })
})

async function grant(person: Person, book: string, column: 0 | 1 | 2): Promise<void> {
  const [[, rest]] = transports as [(typeof transports)[number]]
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
function outcomeOf(name: string, { ok, status, body }: ToolResponse): string {
  if (name === 'delete_items') return body.notFound?.length === 1 ? 'not found' : 'deleted'
  if (ok) return 'ok'
  return body.code ?? (status === 404 ? 'NOT_FOUND' : String(status))
}

/** The same call naming something that never was. */
async function unknownObject(key: string, transport: (typeof transports)[number], name: string): Promise<ToolResponse> {
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
  return transport[1].call(server, { key }, name, (toolCases[name] as ToolCase).input(unknown))
}
