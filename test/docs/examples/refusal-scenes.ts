import type { ErrorCode } from '../../../src/core/errors.ts'
import { createApiKey } from '../../../src/accounts/create-api-key.ts'
import { chargeReads } from '../../support/charge-reads.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { publishBook, subscribe } from '../../support/marketplace.ts'
import { createTeamClient, fillDepartments } from '../../support/team-client.ts'
import { smallBooks } from '../../support/small-books.ts'
import { send } from '../../support/transports.ts'
import { importFile, reserveUpload } from '../../support/uploads.ts'
import type { TestServer } from '../../support/server.ts'
import type { Cast } from './calls.ts'
import { passes } from './passes.ts'
import type { Caller } from './recorder.ts'
import type { Stage } from './refusals.ts'

/** A call that must be refused with a code of its use case. */
export interface RefusalScene {
  code: ErrorCode
  name: string
  input: Record<string, unknown>
  /** Defaults to Ada. */
  as?: Caller
}

const none = '0mm90chs0noneofthisidexists'.slice(0, 26)

/** The refusals of use cases, each with the steps that cause it. */
export async function refusalScenes(stage: Stage): Promise<RefusalScene[]> {
  return [
    ...notFoundScenes(),
    ...(await bookScenes(stage)),
    ...(await limitScenes(stage)),
    ...(await shelfScenes(stage)),
    ...(await manuscriptScenes(stage)),
    ...(await marketplaceScenes(stage)),
    ...(await teamScenes(stage)),
  ]
}

function notFoundScenes(): RefusalScene[] {
  const text = { content: '# New\n' }
  const inputs: [name: string, input: Record<string, unknown>][] = [
    ['get_item_content', { id: none }],
    ['search_items', { like: `${none}:1` }],
    ['get_item_file', { itemId: none }],
    ['get_figure', { itemId: none, page: 1 }],
    ['export_item', { itemId: none, format: 'epub' }],
    ['append_item_pages', { id: none, ...text }],
    ['put_item_page', { id: none, pageNum: 1, ...text }],
    ['put_item_content', { id: none, ...text }],
    ['enrich_item', { itemId: none, title: 'New' }],
    ['flag_item', { itemId: none }],
    ['reprocess_item', { itemId: none }],
    ['get_recognition', { itemId: none }],
    ['undelete_item', { itemId: none }],
    ['erase_deleted_item', { itemId: none }],
    ['list_item_versions', { id: none }],
    ['restore_item_version', { id: none, version: 1 }],
    ['purge_item_version', { itemId: none, version: 1, confirm: true }],
    ['update_manuscript', { manuscriptId: none, title: 'New' }],
    ['archive_manuscript', { manuscriptId: none }],
    ['list_book_gaps', { itemId: none }],
    ['resolve_book_gap', { itemId: none, subcategory: 'Oils' }],
    ['restore_book_gap', { itemId: none, subcategory: 'Oils' }],
    ['dismiss_book_gap', { itemId: none, subcategory: 'Oils' }],
    ['update_book_gap', { itemId: none, subcategory: 'Oils', status: 'OPEN' }],
    ['pick_usable_books', { ids: [none] }],
    ['complete_access_session', { sessionId: none }],
    ['subscribe_marketplace', { listingId: none }],
    ['unsubscribe_marketplace', { listingId: none }],
    ['publish_listing', { itemId: none }],
    ['update_listing', { id: none, proOnly: true }],
    ['withdraw_listing', { id: none }],
    ['confirm_upload', { itemId: none, storageKey: `incoming/${none}/${none}.pdf` }],
    ['upload_file', { filename: 'knots.md', file: '# Knots\n', replacesItemId: none }],
    ['get_job', { jobId: none }],
    ['cancel_job', { jobId: none }],
    ['accept_invite', { token: none }],
    ['decline_invite', { token: none }],
  ]
  const notFound = inputs.map(([name, input]) => ({ code: 'NOT_FOUND' as const, name, input }))
  const noShelf = [
    ['get_shelf', {}],
    ['update_shelf', { name: 'New' }],
    ['delete_shelf', {}],
    ['add_to_shelf', { itemIds: [none] }],
    ['remove_from_shelf', { itemIds: none }],
  ] as const
  return [
    ...notFound,
    ...noShelf.map(([name, input]) => ({
      code: 'SHELF_NOT_FOUND' as const,
      name,
      input: { shelf: 'no-such', ...input },
    })),
    { code: 'ITEM_NOT_FOUND', name: 'create_manuscript', input: { title: 'Mine', itemId: none } },
  ]
}

async function bookScenes({ server, cast, made }: Stage): Promise<RefusalScene[]> {
  const { ada, bob } = cast
  const { book, team } = made
  const client = createTeamClient(server)
  await client.addMember(team, bob)
  const text = await makeBook(server, ada, { title: 'Shared', content: markdownPages(3) })
  await client.shareItem(team, ada, text)
  const pdf = { filename: 'knots.pdf', bytes: new TextEncoder().encode('%PDF-') }
  const draft = await reserveUpload(server, ada, pdf)
  const builtIn = await makeBook(server, { id: 'system' }, { title: 'Built in' })
  const conflicts = ['append_item_pages', 'put_item_content', 'put_item_page', 'restore_item_version']
  const writes: Record<string, Record<string, unknown>> = {
    append_item_pages: { content: '# New\n' },
    put_item_content: { content: '# New\n' },
    put_item_page: { pageNum: 1, content: '# New\n' },
    restore_item_version: { version: 1 },
  }
  const ofWrites = (code: ErrorCode, more: Record<string, unknown>, as?: Caller): RefusalScene[] =>
    conflicts.map((name) => ({ code, name, input: { ...writes[name], ...more }, ...(as ? { as } : {}) }))
  return [
    ...ofWrites('VERSION_CONFLICT', { id: book, expectedVersion: 1 }),
    ...ofWrites('VERSION_CONFLICT', { id: book, ifMatch: '"1"' }),
    ...ofWrites('ITEM_NOT_EDITABLE', { id: draft.itemId }),
    ...ofWrites('FORBIDDEN', { id: text }, bob),
    { code: 'FORBIDDEN', name: 'enrich_item', input: { itemId: text, title: 'New' }, as: bob },
    { code: 'FORBIDDEN', name: 'flag_item', input: { itemId: text }, as: bob },
    { code: 'FORBIDDEN', name: 'reprocess_item', input: { itemId: text }, as: bob },
    { code: 'FORBIDDEN', name: 'get_recognition', input: { itemId: text }, as: bob },
    { code: 'FORBIDDEN', name: 'delete_items', input: { ids: [builtIn] } },
    { code: 'FORBIDDEN', name: 'purge_item_version', input: { itemId: text, version: 1, confirm: true }, as: bob },
    { code: 'CONFLICT', name: 'purge_item_version', input: { itemId: text, version: 1, confirm: true } },
    { code: 'CONFLICT', name: 'get_item_file', input: { itemId: text } },
    { code: 'CONFLICT', name: 'export_item', input: { itemId: draft.itemId, format: 'epub' } },
    { code: 'CONFLICT', name: 'publish_listing', input: { itemId: draft.itemId } },
    { code: 'SHELF_PARAM_INVALID', name: 'list_items', input: { shelf: 'to read!' } },
    { code: 'UNKNOWN_AGENT', name: 'switch_agent', input: { op: 'disable', agent: 'clippy' } },
  ]
}

/** Refusals by the limits of a plan: a full library, a locked book, no reads left. */
async function limitScenes(stage: Stage): Promise<RefusalScene[]> {
  const { server } = stage
  const { services } = server.running.opened
  const lou = await server.createPerson({ plan: 'PRO' })
  await makeBook(server, lou, { title: 'First' })
  const locked = await makeBook(server, lou, { title: 'Second', content: markdownPages(3) })
  const deleted = await makeBook(server, lou, { title: 'Third' })
  await send(server, lou.key, { method: 'DELETE', path: '/api/v1/items', body: { ids: [deleted] } })
  const bytes = new TextEncoder().encode('# Knots\n')
  const upload = await reserveUpload(server, lou, { filename: 'knots.md', bytes })
  await services.accounts.change(lou.id, { tier: 'TINY' })
  const max = await server.createPerson({ plan: 'PRO' })
  const { itemId: read } = await importFile(server, max, { filename: 'knots.md', bytes })
  await services.accounts.change(max.id, { tier: 'TINY' })
  await chargeReads(server, max, 1000)
  const lockedInputs: [name: string, input: Record<string, unknown>][] = [
    ['get_table_of_contents', { ids: [locked] }],
    ['read_items', { items: [{ id: locked }] }],
    ['get_item_content', { id: locked }],
    ['search_items', { like: `${locked}:1` }],
    ['export_item', { itemId: locked, format: 'epub' }],
    ['get_item_file', { itemId: locked }],
    ['get_figure', { itemId: locked, page: 1 }],
    ['check_citations', { citations: [{ itemId: locked, page: 1, quote: 'text 1' }] }],
    ['append_item_pages', { id: locked, content: '# New\n' }],
    ['put_item_page', { id: locked, pageNum: 1, content: '# New\n' }],
    ['put_item_content', { id: locked, content: '# New\n' }],
    ['restore_item_version', { id: locked, version: 1 }],
    ['enrich_item', { itemId: locked, title: 'New' }],
    ['list_item_versions', { id: locked }],
    ['list_book_gaps', { itemId: locked }],
    ['publish_listing', { itemId: locked }],
    ['confirm_upload', { itemId: upload.itemId, storageKey: upload.storageKey }],
  ]
  const readInputs: [name: string, input: Record<string, unknown>][] = [
    ['get_table_of_contents', { ids: [read] }],
    ['read_items', { items: [{ id: read }] }],
    ['get_item_content', { id: read }],
    ['export_item', { itemId: read, format: 'epub' }],
    ['get_item_file', { itemId: read }],
    ['list_item_versions', { id: read }],
  ]
  const full: [name: string, input: Record<string, unknown>][] = [
    ['create_markdown_item', { title: 'One more' }],
    ['create_manuscript', { title: 'One more' }],
    ['start_upload', { filename: 'knots.md', size: 8, contentType: 'text/markdown' }],
    ['upload_file', { filename: 'knots.md', file: '# Knots\n' }],
    ['import_url', { url: `${stage.server.baseUrl}/docs`, filename: 'api.html' }],
    ['undelete_item', { itemId: deleted }],
  ]
  return [
    ...lockedInputs.map(([name, input]) => ({ code: 'ITEM_LOCKED' as const, name, input, as: lou })),
    ...readInputs.map(([name, input]) => ({ code: 'READ_LIMIT_EXCEEDED' as const, name, input, as: max })),
    ...full.map(([name, input]) => ({ code: 'PLAN_LIMIT_EXCEEDED' as const, name, input, as: lou })),
    { code: 'SHELF_LIMIT_EXCEEDED', name: 'create_shelf', input: { name: 'One more' }, as: lou },
    await unreadPictureScene(stage),
    ...(await storageScenes(stage)),
  ]
}

async function shelfScenes({ cast, recorder, made }: Stage): Promise<RefusalScene[]> {
  await recorder.play(cast.ada, 'create_shelf', { name: 'Taken' })
  const many = Array.from({ length: 201 }, (_, index) => `book${index}`)
  const { shelf } = made
  return [
    { code: 'SHELF_NAME_TAKEN', name: 'create_shelf', input: { name: 'taken' } },
    { code: 'SHELF_NAME_TAKEN', name: 'update_shelf', input: { shelf, name: 'taken' } },
    { code: 'SHELF_NAME_INVALID', name: 'create_shelf', input: { name: '!?' } },
    { code: 'SHELF_NAME_INVALID', name: 'update_shelf', input: { shelf, name: '!?' } },
    { code: 'BATCH_TOO_LARGE', name: 'add_to_shelf', input: { shelf, itemIds: many } },
    { code: 'BATCH_TOO_LARGE', name: 'remove_from_shelf', input: { shelf, itemIds: many.join(',') } },
    { code: 'QUERY_TOO_LONG', name: 'remove_from_shelf', input: { shelf, itemIds: 'x'.repeat(8193) } },
  ]
}

/** A picture of a book that was not read, requested by a person without reads. */
async function unreadPictureScene({ server }: Stage): Promise<RefusalScene> {
  const max = await server.createPerson({ plan: 'PRO' })
  const { itemId } = await importFile(server, max, { filename: 'whales.pdf', bytes: await smallBooks.pdf() })
  await server.running.opened.services.accounts.change(max.id, { tier: 'TINY' })
  await chargeReads(server, max, 1000)
  return { code: 'READ_LIMIT_EXCEEDED', name: 'get_figure', input: { itemId, page: 1 }, as: max }
}

/** Refusals because storage is full: texts that would not fit. */
async function storageScenes({ server }: Stage): Promise<RefusalScene[]> {
  const { services } = server.running.opened
  const max = await server.createPerson({ plan: 'PRO' })
  const id = await makeBook(server, max, { title: 'Large', content: `# Large\n${'x'.repeat(900_000)}` })
  await send(server, max.key, { method: 'PUT', path: `/api/v1/items/${id}/content`, body: { content: '# Small\n' } })
  await makeBook(server, max, { title: 'Larger', content: `# Larger\n${'z'.repeat(900_000)}` })
  await services.accounts.change(max.id, { tier: 'TINY' })
  const content = `# More\n${'y'.repeat(900_000)}`
  const toc = Array.from({ length: 5000 }, (_, index) => ({ title: 'x'.repeat(100), page: 1, level: 1 + (index % 3) }))
  const inputs: [name: string, input: Record<string, unknown>][] = [
    ['append_item_pages', { id, content }],
    ['put_item_page', { id, pageNum: 1, content }],
    ['put_item_content', { id, content }],
    ['restore_item_version', { id, version: 1 }],
    ['enrich_item', { itemId: id, toc }],
  ]
  const flo = await server.createPerson({ plan: 'FREE' })
  const own = await makeBook(server, flo, { title: 'Mine' })
  return [
    ...inputs.map(([name, input]) => ({ code: 'PLAN_LIMIT_EXCEEDED' as const, name, input, as: max })),
    { code: 'PUBLISH_NOT_ALLOWED', name: 'publish_listing', input: { itemId: own }, as: flo },
  ]
}

async function manuscriptScenes({ server, cast, made }: Stage): Promise<RefusalScene[]> {
  const { ada, bob } = cast
  const flo = await server.createPerson({ plan: 'FREE' })
  const { manuscript, team } = made
  const unpaid = await createTeamClient(server).createTeam(ada, 'Unpaid')
  await server.running.opened.services.teams.change(unpaid, { subscriptionActive: false })
  const create = (person: Caller, input: object) =>
    send(server, person.key, { method: 'POST', path: '/api/v1/manuscripts', body: input })
  const { body: taken } = await create(ada, { title: 'Taken' })
  const { body: shared } = await create(ada, { title: 'Shared', teamId: team })
  const { body: waiting } = await create(flo, { title: 'First' })
  const path = `/api/v1/manuscripts/${waiting.manuscript.id}`
  await send(server, flo.key, { method: 'PUT', path, body: { status: 'PAUSED' } })
  await create(flo, { title: 'Second' })
  const { itemId } = taken.manuscript
  const of = (code: ErrorCode, input: Record<string, unknown>, as?: Caller): RefusalScene[] => [
    { code, name: 'create_manuscript', input: { title: 'Mine', ...input }, ...(as ? { as } : {}) },
    { code, name: 'update_manuscript', input: { manuscriptId: manuscript, ...input }, ...(as ? { as } : {}) },
  ]
  return [
    ...of('MANUSCRIPT_ITEM_CONFLICT', { itemId, status: 'ACTIVE' }),
    ...of('NOT_TEAM_MEMBER', { teamId: 'noSuchTeam' }),
    ...of('TEAM_SUBSCRIPTION_REQUIRED', { teamId: unpaid }),
    ...of('ITEM_NOT_FOUND', { itemId: none }).slice(1),
    ...of('MANUSCRIPT_LIMIT_EXCEEDED', { manuscriptId: waiting.manuscript.id, status: 'ACTIVE' }, flo),
    {
      code: 'FORBIDDEN',
      name: 'update_manuscript',
      input: { manuscriptId: shared.manuscript.id, title: 'New' },
      as: bob,
    },
    { code: 'FORBIDDEN', name: 'archive_manuscript', input: { manuscriptId: shared.manuscript.id }, as: bob },
  ]
}

async function marketplaceScenes({ server, cast, made }: Stage): Promise<RefusalScene[]> {
  const { listingId, itemId } = await publishBook(server, cast.ada, { title: 'On offer' })
  await subscribe(server, cast.bob, listingId)
  const full = await server.createPerson({ plan: 'TINY' })
  await makeBook(server, full, { title: 'The only one' })
  const confirmed = made.upload
  return [
    { code: 'CONFLICT', name: 'subscribe_marketplace', input: { listingId }, as: cast.bob },
    { code: 'CONFLICT', name: 'publish_listing', input: { itemId } },
    { code: 'CONFLICT', name: 'confirm_upload', input: confirmed },
    { code: 'PLAN_LIMIT_EXCEEDED', name: 'subscribe_marketplace', input: { listingId }, as: full },
    {
      code: 'PAYLOAD_TOO_LARGE',
      name: 'upload_file',
      input: { filename: 'knots.md', file: 'x'.repeat(2 * 1024 * 1024) },
      as: full,
    },
    { code: 'NOT_FOUND', name: 'revoke_api_key', input: { keyId: none }, as: cast.browser },
    ...(await keyScenes(server, cast)),
    ...(await sessionScenes(server, cast)),
  ]
}

/** Creates as many keys as an account may have, which also uses up its rate limit. */
async function keyScenes(server: TestServer, { owner, browser }: Cast): Promise<RefusalScene[]> {
  const { services } = server.running.opened
  while (await passes(() => createApiKey(services, owner, {})));
  const input = { name: 'One more' }
  return [{ code: 'KEY_LIMIT_EXCEEDED', name: 'create_api_key', input, as: browser }]
}

/** Opens as many research sessions as an account may have. */
async function sessionScenes(server: TestServer, { eve }: Cast): Promise<RefusalScene[]> {
  const start = { method: 'POST', path: '/api/v1/access/session', body: {} }
  while ((await send(server, eve.key, start)).ok);
  return [{ code: 'RATE_LIMITED', name: 'start_access_session', input: {}, as: eve }]
}

async function teamScenes({ server, cast, made }: Stage): Promise<RefusalScene[]> {
  const { ada, bob, eve } = cast
  const client = createTeamClient(server)
  const teamId = await client.createTeam(ada, 'Kitchen')
  await client.addMember(teamId, bob)
  await client.createDepartment(teamId, ada, 'Makers')
  await client.createDepartment(teamId, ada, 'Bakers')
  const { book } = made
  const own = await makeBook(server, ada, { title: 'Recipes' })
  await client.shareItem(teamId, ada, own)
  const unpaid = await client.createTeam(ada, 'Unpaid')
  await server.running.opened.services.teams.change(unpaid, { subscriptionActive: false })
  const crowded = await client.createTeam(ada, 'Crowded')
  await fillDepartments(server, crowded)
  const email = bob.email
  const dept = 'makers'
  const managed: [name: string, input: Record<string, unknown>][] = [
    ['update_team', { name: 'New' }],
    ['delete_team', {}],
    ['invite_team_member', { email }],
    ['change_team_role', { email: ada.email, role: 'MEMBER' }],
    ['remove_team_member', { email: ada.email }],
    ['create_department', { name: 'New' }],
    ['rename_department', { dept, name: 'New' }],
    ['delete_department', { dept }],
    ['list_department_members', { dept }],
    ['add_department_member', { dept, email }],
    ['remove_department_member', { dept, email }],
    ['share_item', { itemId: book, accessLevel: 'WRITE' }],
    ['update_share', { itemId: own, accessLevel: 'WRITE' }],
    ['get_access_report', {}],
  ]
  const memberOnly: [name: string, input: Record<string, unknown>][] = [
    ...managed,
    ['leave_team', {}],
    ['list_team_members', {}],
    ['list_departments', {}],
    ['list_team_items', {}],
    ['unshare_item', { itemId: own }],
  ]
  const noDepartment: [name: string, input: Record<string, unknown>][] = [
    ['rename_department', { dept: 'cooks', name: 'New' }],
    ['delete_department', { dept: 'cooks' }],
    ['list_department_members', { dept: 'cooks' }],
    ['add_department_member', { dept: 'cooks', email }],
    ['remove_department_member', { dept: 'cooks', email }],
    ['share_item', { itemId: own, departmentSlugs: ['cooks'] }],
    ['update_share', { itemId: own, departmentSlugs: ['cooks'] }],
  ]
  const unknown = 'nobody@lectern.example'
  const of = (code: ErrorCode, name: string, input: Record<string, unknown>, as?: Caller): RefusalScene => ({
    code,
    name,
    input: { teamId, ...input },
    ...(as ? { as } : {}),
  })
  return [
    ...memberOnly.map(([name, input]) => of('NOT_A_TEAM_MEMBER', name, input, eve)),
    ...managed.map(([name, input]) => of('FORBIDDEN_ROLE', name, input, bob)),
    ...noDepartment.map(([name, input]) => of('DEPARTMENT_NOT_FOUND', name, input)),
    of('CONFLICT', 'create_department', { teamId: crowded, name: 'New' }),
    of('CONFLICT', 'leave_team', {}),
    of('CONFLICT', 'change_team_role', { email: ada.email, role: 'MEMBER' }),
    of('MEMBER_NOT_FOUND', 'change_team_role', { email: unknown, role: 'MEMBER' }),
    of('MEMBER_NOT_FOUND', 'remove_team_member', { email: unknown }),
    of('MEMBER_NOT_FOUND', 'add_department_member', { dept, email: unknown }),
    of('CANNOT_REMOVE_SELF', 'remove_team_member', { email: ada.email }),
    of('DEPARTMENT_SLUG_TAKEN', 'rename_department', { dept, name: 'Bakers' }),
    of('ITEM_NOT_OWNED', 'share_item', { itemId: none }),
    of('TEAM_SUBSCRIPTION_REQUIRED', 'share_item', { teamId: unpaid, itemId: book }),
    of('TEAM_ITEM_NOT_FOUND', 'update_share', { itemId: none, accessLevel: 'READ' }),
    of('FORBIDDEN_REVOKE', 'unshare_item', { itemId: own }, bob),
  ]
}
