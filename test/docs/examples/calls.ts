import { makeBook } from '../../support/make-book.ts'
import { tokenOf } from '../../support/team-client.ts'
import { importIllustrated, type IllustratedBook } from '../../support/illustrated-book.ts'
import { putFile, waitForJobEnd } from '../../support/uploads.ts'
import type { Person, TestServer } from '../../support/server.ts'
import type { Caller, Recorder } from './recorder.ts'

/** The people in the examples. */
export interface Cast {
  /** Has books and a team. */
  ada: Person
  /** Reads Ada's book, and is in her team. */
  bob: Person
  /** A person who has access to neither. */
  eve: Person
  /** Ada's browser. */
  browser: Caller
  /** Another browser, whose account uses up its calls per minute. */
  busy: Caller & { accountId: string }
  /** The id of the account in Ada's browser. */
  owner: string
}

/** The objects that were created while the calls were recorded. */
export interface Made {
  book: string
  shelf: string
  manuscript: string
  listing: string
  team: string
  /** A book with the file that it was imported from. */
  imported: string
  /** The upload through which it was imported. */
  upload: { itemId: string; storageKey: string }
}

type Play = Recorder['play']

const bookText = [
  '# Soap\n\nSoap is made of fat and lye. The lye of wood ash is weak; that of the shops is not.\n',
  '# Cold process\n\nWarm the fat, add the lye slowly, and stir until the soap leaves a trace.\n',
  '# Curing\n\nSoap cures for six weeks in a dry place.\n',
].join('\n')

/** Calls every route once, in an order in which each call returns something. */
export async function playAll(server: TestServer, cast: Cast, recorder: Recorder): Promise<Made> {
  const { play } = recorder
  const books = await playBooks(cast, play)
  const { shelf } = await playShelves(cast, play, books)
  const upload = await playUploads(server, cast, play)
  const imported = upload.itemId
  const illustrated = await importIllustrated(server, cast.ada)
  await playReading(cast, play, { book: books.book, imported, illustrated })
  const { manuscript } = await playManuscripts(cast, play)
  const { listing } = await playMarketplace(cast, play, books.book)
  await playGaps(cast, play, { book: books.book, listing })
  const { team } = await playTeams(cast, play, books.book)
  await playAccount(cast, play)
  await playBin(server, cast, play)
  return { book: books.book, shelf, manuscript, listing, team, imported, upload }
}

async function playBooks({ ada }: Cast, play: Play) {
  const made = await play(ada, 'create_markdown_item', {
    title: 'Soap at Home',
    description: 'How to make soap in a kitchen.',
    content: bookText,
  })
  const book: string = made.id
  await play(ada, 'enrich_item', {
    itemId: book,
    author: 'A. Lovelace',
    confidence: 0.9,
    toc: [
      { title: 'Soap', page: 1, level: 1 },
      { title: 'Cold process', page: 2, level: 1 },
      { title: 'Curing', page: 3, level: 1 },
    ],
    addPrompt: { prompt: 'Which oils suit a beginner?' },
    sampleQuestion: 'How long does soap cure?',
    outcomes: ['Makes a first bar of soap'],
  })
  await play(ada, 'flag_item', { itemId: book })
  await play(ada, 'put_item_page', {
    id: book,
    pageNum: 3,
    content: '# Curing\n\nSoap cures for four to six weeks in a dry place.\n',
    expectedVersion: 1,
  })
  await play(ada, 'append_item_pages', { id: book, content: '# Colours\n\nClay colours soap.\n', expectedVersion: 2 })
  await play(ada, 'append_item_pages', { id: book, content: '' })
  await play(ada, 'put_item_content', {
    id: book,
    content: `${bookText}\n# Scents\n\nOils scent soap.\n`,
    expectedVersion: 3,
  })
  await play(ada, 'list_item_versions', { id: book })
  await play(ada, 'purge_item_version', { itemId: book, version: 3, confirm: true })
  await play(ada, 'restore_item_version', { id: book, version: 2, expectedVersion: 4 })
  return { book }
}

async function playShelves({ ada }: Cast, play: Play, { book }: { book: string }) {
  const { id: shelf } = await play(ada, 'create_shelf', { name: 'Reading list', color: '#3366cc' })
  await play(ada, 'update_shelf', { shelf, name: 'To read', position: 0 })
  await play(ada, 'add_to_shelf', { shelf, itemIds: [book] })
  await play(ada, 'add_to_shelf', { shelf, itemIds: [book, 'no-such-book'] })
  await play(ada, 'list_shelves')
  await play(ada, 'get_shelf', { shelf })
  await play(ada, 'list_items', { shelf: 'to-read' })
  await play(ada, 'remove_from_shelf', { shelf, itemIds: book })
  const { id: another } = await play(ada, 'create_shelf', { name: 'Another' })
  await play(ada, 'delete_shelf', { shelf: another })
  return { shelf }
}

async function playUploads(server: TestServer, { ada }: Cast, play: Play): Promise<Made['upload']> {
  const bytes = new TextEncoder().encode('# Knots\n\nA reef knot joins two ropes.\n')
  await play(ada, 'check_upload', { filename: 'soap-at-home.md' })
  const file = { filename: 'knots.md', size: bytes.byteLength, contentType: 'text/markdown' }
  const { itemId, storageKey, uploadUrl } = await play(ada, 'start_upload', file)
  const { status } = await putFile(uploadUrl, bytes)
  if (status !== 200) throw new Error(`The file was refused with ${status}`)
  const { job } = await play(ada, 'confirm_upload', { itemId, storageKey })
  await waitForJobEnd(server, ada, job.id)
  const sent = await play(ada, 'upload_file', {
    filename: 'sheet-bends.md',
    file: '# Bends\n\nA bend joins two ropes.\n',
  })
  await waitForJobEnd(server, ada, sent.job.id)
  const fetched = await play(ada, 'import_url', { url: `${server.baseUrl}/docs`, filename: 'api.html' })
  await waitForJobEnd(server, ada, fetched.job.id)
  await play(ada, 'get_job', { jobId: job.id })
  await play(ada, 'list_jobs')
  await play(ada, 'cancel_job', { jobId: job.id })
  await play(ada, 'get_recognition', { itemId })
  const again = await play(ada, 'reprocess_item', { itemId, password: 'correct horse' })
  await waitForJobEnd(server, ada, again.job.id)
  return { itemId, storageKey }
}

async function playReading(
  { ada }: Cast,
  play: Play,
  { book, imported, illustrated }: { book: string; imported: string; illustrated: IllustratedBook },
) {
  const { sessionId } = await play(ada, 'start_access_session', { intent: 'How to cure soap' })
  const reader = { key: ada.key, headers: { 'X-CK-Session': sessionId } }
  await play(reader, 'get_table_of_contents', { ids: [book] })
  await play(reader, 'read_items', { items: [{ id: book, pages: '2-3' }] })
  await play(reader, 'get_item_content', { id: book })
  await play(ada, 'get_item_file', { itemId: imported })
  await play(ada, 'get_figure', { itemId: illustrated.itemId, page: 1, figure: illustrated.boat.id })
  await play(ada, 'export_item', { itemId: book, format: 'markdown' })
  await play(ada, 'search_items', { query: 'lye' })
  await play(ada, 'check_citations', { citations: [{ itemId: book, page: 1, quote: 'Soap is made of fat and lye.' }] })
  await play(ada, 'complete_access_session', { sessionId })
  await play(ada, 'get_value_report', { since: '30d' })
  await play(ada, 'list_report_sessions', { since: '30d' })
}

async function playManuscripts({ ada }: Cast, play: Play) {
  const { manuscript } = await play(ada, 'create_manuscript', {
    title: 'What we learnt',
    audience: 'New colleagues',
    topics: ['testing'],
    criteria: ['Something went wrong and we know why'],
    trigger: 'after an incident',
    instructions: 'One chapter for each incident.',
    autoUpdate: false,
    structure: { chapters: 'by date' },
  })
  await play(ada, 'update_manuscript', { manuscriptId: manuscript.id, status: 'PAUSED', audience: null })
  await play(ada, 'list_manuscripts', { status: 'PAUSED' })
  const other = await play(ada, 'create_manuscript', { title: 'Another' })
  await play(ada, 'archive_manuscript', { manuscriptId: other.manuscript.id })
  return { manuscript: manuscript.id as string }
}

async function playMarketplace({ ada, bob }: Cast, play: Play, book: string) {
  const { listing } = await play(ada, 'publish_listing', {
    itemId: book,
    category: 'science',
    tags: ['soap', 'kitchen'],
  })
  await play(ada, 'update_listing', { id: listing.id, tags: ['soap'] })
  await play(ada, 'list_listings')
  await play({ key: null }, 'browse_marketplace', { search: 'soap', limit: 10 })
  await play(bob, 'subscribe_marketplace', { listingId: listing.id })
  return { listing: listing.id as string }
}

async function playGaps({ ada, bob }: Cast, play: Play, { book, listing }: { book: string; listing: string }) {
  const report = { itemId: book, category: 'science' }
  await play(bob, 'report_book_gap', {
    ...report,
    intent: 'Which oils harden soap',
    subcategory: 'Oils',
    aboutSection: 'Soap',
  })
  await play(bob, 'report_book_gap', { ...report, intent: 'How to make soap white', subcategory: 'Colours' })
  await play(bob, 'report_gap', { intent: 'How candles are made', category: 'science', subcategory: 'Candles' })
  await play(ada, 'list_author_gaps')
  await play(ada, 'list_book_gaps', { itemId: book, status: 'OPEN' })
  await play(ada, 'update_book_gap', { itemId: book, subcategory: 'Oils', status: 'IN_PROGRESS' })
  await play(ada, 'dismiss_book_gap', { itemId: book, subcategory: 'Colours' })
  await play(ada, 'restore_book_gap', { itemId: book, subcategory: 'Colours' })
  await play(ada, 'resolve_book_gap', { itemId: book, subcategory: 'Oils' })
  const { notifications } = await play(bob, 'list_notifications', { type: 'gap_fulfilled' })
  await play(bob, 'mark_notifications_read', { ids: notifications.map(({ id }: { id: string }) => id) })
  await play(bob, 'unsubscribe_marketplace', { listingId: listing })
  await play(ada, 'withdraw_listing', { id: listing })
}

async function playTeams({ ada, bob, eve }: Cast, play: Play, book: string) {
  const teamId: string = (await play(ada, 'create_team', { name: 'Kitchen' })).team.id
  const of = (more: object = {}) => ({ teamId, ...more })
  await play(ada, 'update_team', of({ name: 'Soap makers' }))
  const { invite } = await play(ada, 'invite_team_member', of({ email: bob.email }))
  await play(bob, 'list_invites')
  await play(bob, 'accept_invite', { token: tokenOf(invite.url) })
  await play(ada, 'invite_team_member', of({ email: bob.email }))
  const second = await play(ada, 'invite_team_member', of({ email: eve.email }))
  await play(eve, 'decline_invite', { token: tokenOf(second.invite.url) })
  await play(ada, 'list_teams')
  await play(ada, 'change_team_role', of({ email: bob.email, role: 'ADMIN' }))
  await play(ada, 'list_team_members', of())
  await play(ada, 'create_department', of({ name: 'Chemists' }))
  await play(ada, 'create_department', of({ name: 'Chemists' }))
  await play(ada, 'rename_department', of({ dept: 'chemists', name: 'Makers' }))
  await play(ada, 'add_department_member', of({ dept: 'makers', email: bob.email }))
  await play(ada, 'add_department_member', of({ dept: 'makers', email: bob.email }))
  await play(ada, 'list_departments', of())
  await play(ada, 'list_department_members', of({ dept: 'makers' }))
  await play(ada, 'share_item', of({ itemId: book, departmentSlugs: ['makers'] }))
  await play(ada, 'share_item', of({ itemId: book, departmentSlugs: ['makers'] }))
  await play(ada, 'update_share', of({ itemId: book, accessLevel: 'WRITE' }))
  await play(bob, 'list_team_items', of())
  await play(ada, 'get_access_report', of())
  await play(ada, 'remove_department_member', of({ dept: 'makers', email: bob.email }))
  await play(ada, 'unshare_item', of({ itemId: book }))
  await play(ada, 'delete_department', of({ dept: 'makers' }))
  await play(bob, 'leave_team', of())
  const back = await play(ada, 'invite_team_member', of({ email: bob.email }))
  await play(bob, 'accept_invite', { token: tokenOf(back.invite.url) })
  await play(ada, 'remove_team_member', of({ email: bob.email }))
  const other = await play(ada, 'create_team', { name: 'Short-lived' })
  await play(ada, 'delete_team', { teamId: other.team.id })
  return { team: teamId }
}

async function playAccount({ ada, browser }: Cast, play: Play) {
  await play(ada, 'whoami')
  await play(ada, 'get_usable_books')
  await play(ada, 'pick_usable_books', { ids: [] })
  await play(ada, 'update_config', { planMode: 'ask', citationBlock: 'on' })
  await play(ada, 'get_config')
  await play(ada, 'change_meaning_search', { enabled: true })
  await play(ada, 'get_meaning_search')
  const agents = [{ name: 'codex', detected: true, installed: true, installType: 'skill' }]
  await play(ada, 'report_agents', {
    machineId: 'laptop-of-ada',
    hostname: 'ada',
    os: 'linux',
    cliVersion: '1.2.0',
    agents,
  })
  await play(ada, 'switch_agent', { op: 'disable', agent: 'codex' })
  await play(ada, 'list_machines')
  await play(ada, 'export_account')
  await play(ada, 'send_report', { title: 'Search by author', body: 'It would help me.', type: 'idea' })
  const key = await play(browser, 'create_api_key', { name: 'Laptop', scopes: ['library:read'], expiresAt: null })
  await play(browser, 'list_api_keys')
  await play(browser, 'revoke_api_key', { keyId: key.id })
}

async function playBin(server: TestServer, { ada }: Cast, play: Play) {
  const [book, other] = [
    await makeBook(server, ada, { title: 'A draft' }),
    await makeBook(server, ada, { title: 'Old notes' }),
  ]
  await play(ada, 'delete_items', { ids: [book, other] })
  await play(ada, 'list_deleted_items', { limit: 50 })
  await play(ada, 'undelete_item', { itemId: book })
  await play(ada, 'erase_deleted_item', { itemId: other })
}
