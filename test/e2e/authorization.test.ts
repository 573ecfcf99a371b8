import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { hashApiKey, generateApiKey } from '../../src/accounts/api-key.ts'
import { isWriteScope, scopes } from '../../src/core/scopes.ts'
import { tools } from '../../tools/index.ts'
import { mcp, rest, transports, type ToolResponse } from '../support/transports.ts'
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
    const transport = hasTransport(tool, 'mcp') ? mcp : rest
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
  const { body } = await rest.call(server, owner, 'confirm_upload', { itemId, storageKey })
  for (;;) {
    const job = await services.jobs.byId(owner.id, body.job.id)
    if (job?.status === 'SUCCEEDED') return job.id
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Keys that must be refused, and the answer of REST to each. */
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
    ['a key that never existed', generateApiKey(), 401, /Invalid or revoked API key/],
    ['an expired key', expired.key, 401, /Invalid or revoked API key/],
    ['a revoked key', revoked.key, 401, /Invalid or revoked API key/],
    ['a suspended account', suspended.key, 403, /suspended/],
  ]
}

/** Each call starts with fresh rate buckets, because this file tests permissions, not rate limits. */
async function callAs(key: string, transport: (typeof transports)[number], name: string): Promise<ToolResponse> {
  const { db } = server.running.opened.database
  await db.collection('rates').deleteMany({})
  return transport[1].call(server, { key }, name, (toolCases[name] as ToolCase).input(things))
}

test('every tool has a row in the table, and every row a tool', () => {
  expect([...Object.keys(toolCases), ...sessionOnly].sort()).toEqual(tools.map(({ name }) => name).sort())
})

describe.for(transports)('over %s', (transport) => {
  const names = Object.keys(toolCases).filter((name) => hasTransport(name, transport[0]))
  const keyed = names.filter((name) => !isPublic(name, transport[0]))

  test('no call succeeds without a key', async () => {
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

  test('an OAuth token is valid for MCP only, and for the granted scopes only', async () => {
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
        expect([name, answer.status]).toEqual([name, transport[0] === 'rest' ? 403 : 200])
        expect(String(answer.body.code).toUpperCase()).toBe('INSUFFICIENT_SCOPE')
      } else expect([name, answer.body.code === 'INSUFFICIENT_SCOPE']).toEqual([name, false])
    }
  })

  test.for(scopes)('a key with the scope %s alone calls the tools of that scope alone', async (scope) => {
    const { key } = await server.createPerson({ scopes: [scope] })
    for (const name of keyed) {
      const wanted = tools.find((tool) => tool.name === name)?.scope
      const { body, text } = await callAs(key, transport, name)
      const refused = String(body.code).toUpperCase() === 'INSUFFICIENT_SCOPE'
      expect([name, refused]).toEqual([name, wanted !== scope])
      expect(text).not.toContain(secret)
    }
  })

  test('objects of another account look missing', async () => {
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

/** The outcome of each call about a book, by how the caller has access: subscription, READ share, WRITE share. */
const byGrant: Record<string, [subscriber: string, reader: string, writer: string]> = {
  get_table_of_contents: ['ok', 'ok', 'ok'],
  read_items: ['ok', 'ok', 'ok'],
  get_item_content: ['ok', 'ok', 'ok'],
  get_figure: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  get_item_file: ['CONFLICT', 'CONFLICT', 'CONFLICT'],
  export_item: ['ok', 'ok', 'ok'],
  append_item_pages: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  put_item_page: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  put_item_content: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  enrich_item: ['FORBIDDEN', 'FORBIDDEN', 'ok'],
  flag_item: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
  reprocess_item: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
  get_recognition: ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
  delete_items: ['not found', 'not found', 'not found'],
  undelete_item: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
  erase_deleted_item: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
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

describe.for(transports)('a book of another account over %s', (transport) => {
  /** Calls that name a book and nothing else that the owner has. */
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

  const outcomesFor = async (person: Person, book: string) => {
    const outcomes: [string, string][] = []
    for (const name of aboutBooks) {
      await server.running.opened.database.db.collection('rates').deleteMany({})
      const input = (toolCases[name] as ToolCase).input({ ...things, book })
      outcomes.push([name, outcomeOf(name, await transport[1].call(server, person, name, input))])
    }
    return outcomes
  }

  test.for(grants)('%s has the access that the table grants', async ([, column, grant]) => {
    const person = await server.createPerson()
    const book = await makeBook(server, owner, { title: 'Shared', content: markdownPages(3) })
    await grant(person, book)
    const wanted = aboutBooks.map((name) => [name, byGrant[name]?.[column] ?? 'nothing: the table has no row'])
    expect(await outcomesFor(person, book)).toEqual(wanted)
  })

  test.for(formerGrants)('%s has the access of strangers', async ([, prepare]) => {
    const person = await server.createPerson()
    const book = await makeBook(server, owner, { title: 'Shared', content: markdownPages(3) })
    await prepare(person, book)
    expect(await outcomesFor(person, book)).toEqual(await outcomesFor(await server.createPerson(), book))
  })
})

const published = (itemId: string) => overRest(owner, 'publish_listing', { itemId })

/** The ways to get access to a book of the owner, each with the column of `byGrant` that applies. */
const grants: [who: string, column: 0 | 1 | 2, grant: (person: Person, book: string) => Promise<unknown>][] = [
  [
    'subscribers',
    0,
    async (person, book) =>
      overRest(person, 'subscribe_marketplace', { listingId: (await published(book)).listing.id }),
  ],
  ['readers of a team', 1, (person, book) => shareInTeam(person, book, { accessLevel: 'READ' })],
  ['writers of a team', 2, (person, book) => shareInTeam(person, book, { accessLevel: 'WRITE' })],
  [
    'writers of a team whose owner published the book since',
    1,
    async (person, book) => {
      await shareInTeam(person, book, { accessLevel: 'WRITE' })
      await published(book)
    },
  ],
  ['leaders of a team, of a book that a member shared,', 1, (person, book) => shareWithLeader(person, book)],
]

/** People who have lost their access to a book, or never had any. */
const formerGrants: [who: string, prepare: (person: Person, book: string) => Promise<unknown>][] = [
  [
    'removed admins',
    async (person, book) => {
      const teamId = await shareInTeam(person, book, { accessLevel: 'WRITE', role: 'ADMIN' })
      await overRest(owner, 'remove_team_member', { teamId, email: person.email })
    },
  ],
  [
    'accounts whose address is unproven, although it is invited,',
    async (person, book) => {
      const accounts = server.running.opened.database.db.collection<{ _id: string }>('accounts')
      await accounts.updateOne({ _id: person.id }, { $unset: { emailProvenAt: '' } })
      const { team } = await overRest(owner, 'create_team', { name: 'Invites' })
      await overRest(owner, 'invite_team_member', { teamId: team.id, email: person.email })
      await overRest(owner, 'share_item', { teamId: team.id, itemId: book, accessLevel: 'WRITE' })
      expect((await overRest(person, 'list_invites', {})).invites).toEqual([])
    },
  ],
]

async function overRest(caller: Person, tool: string, input: Record<string, unknown>): Promise<any> {
  const { ok, body, text } = await rest.call(server, caller, tool, input)
  if (!ok) throw new Error(`${tool}: ${text}`)
  return body
}

/** Shares the owner's book with a team of the owner that a person joins; returns the team's id. */
async function shareInTeam(
  person: Person,
  itemId: string,
  { accessLevel, role = 'MEMBER' }: { accessLevel: 'READ' | 'WRITE'; role?: 'ADMIN' | 'MEMBER' },
): Promise<string> {
  const teamId = (await overRest(owner, 'create_team', { name: 'Grants' })).team.id
  const { invite } = await overRest(owner, 'invite_team_member', { teamId, email: person.email, role })
  await overRest(person, 'accept_invite', { token: invite.url.split('/').at(-1) })
  await overRest(owner, 'share_item', { teamId, itemId, accessLevel })
  return teamId
}

/** Shares the owner's book with a team that a person owns; the leader cannot raise the share of a published book. */
async function shareWithLeader(person: Person, itemId: string): Promise<void> {
  const teamId = (await overRest(person, 'create_team', { name: 'Led' })).team.id
  const { invite } = await overRest(person, 'invite_team_member', { teamId, email: owner.email })
  await overRest(owner, 'accept_invite', { token: invite.url.split('/').at(-1) })
  await overRest(owner, 'share_item', { teamId, itemId })
  await published(itemId)
  await expect(overRest(person, 'update_share', { teamId, itemId, accessLevel: 'WRITE' })).rejects.toThrow(
    /marketplace/,
  )
}

/** Returns the outcome as one word; for a refusal without a code, its status. */
function outcomeOf(name: string, { ok, status, body }: ToolResponse): string {
  if (name === 'delete_items') return body.notFound?.length === 1 ? 'not found' : 'deleted'
  if (ok) return 'ok'
  return body.code ?? (status === 404 ? 'NOT_FOUND' : String(status))
}

/** Makes the same call with an id that does not exist. */
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
