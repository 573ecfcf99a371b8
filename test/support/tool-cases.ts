import { tools } from '../../tools/index.ts'

/** The owner's objects to which a foreign caller refers. */
export interface OwnedObjects {
  book: string
  shelf: string
  manuscript: string
  session: string
  /** A withdrawn listing, which only its owner can find. */
  listing: string
  team: string
  /** An invitation to another person. */
  invite: string
  upload: { itemId: string; storageKey: string }
  job: string
}

/**
 * The answer to a stranger's call: a refusal that looks like a missing object, or an answer without any data of the
 * owner.
 */
export type ForeignOutcome = { status: 404 | 403; code: string | null } | 'no owner data'

export interface ToolCase {
  /** A call that the owner could make. */
  input: (objects: OwnedObjects) => Record<string, unknown>
  foreignOutcome: ForeignOutcome
}

const notFound: ForeignOutcome = { status: 404, code: 'NOT_FOUND' }
const notFoundWithoutCode: ForeignOutcome = { status: 404, code: null }
/** Team routes answer this way for unknown teams, too (contract, Errors). */
const notTeamMember: ForeignOutcome = { status: 403, code: 'NOT_A_TEAM_MEMBER' }
const shelfNotFound: ForeignOutcome = { status: 404, code: 'SHELF_NOT_FOUND' }
const nothingOfOwner: ForeignOutcome = 'no owner data'
const noInput = () => ({})

/** Every capability except those of `sessionOnly`, as a call that its owner could make. */
export const toolCases: Readonly<Record<string, ToolCase>> = {
  whoami: { input: noInput, foreignOutcome: nothingOfOwner },
  export_account: { input: noInput, foreignOutcome: nothingOfOwner },
  library_summary: { input: noInput, foreignOutcome: nothingOfOwner },
  list_items: { input: noInput, foreignOutcome: nothingOfOwner },
  search_items: { input: () => ({ query: 'secret' }), foreignOutcome: nothingOfOwner },
  get_table_of_contents: { input: ({ book }) => ({ ids: [book] }), foreignOutcome: nothingOfOwner },
  read_items: { input: ({ book }) => ({ items: [{ id: book }] }), foreignOutcome: nothingOfOwner },
  get_item_content: { input: ({ book }) => ({ id: book }), foreignOutcome: notFoundWithoutCode },
  get_figure: {
    input: ({ book }) => ({ itemId: book, page: 1, figure: '0123456789abcdef' }),
    foreignOutcome: notFound,
  },
  get_item_file: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  export_item: { input: ({ book }) => ({ itemId: book, format: 'markdown' }), foreignOutcome: notFound },
  check_citations: {
    input: ({ book }) => ({ citations: [{ itemId: book, page: 1, quote: 'text 1' }] }),
    foreignOutcome: nothingOfOwner,
  },
  search: { input: () => ({ query: 'secret' }), foreignOutcome: nothingOfOwner },
  fetch: { input: ({ book }) => ({ id: `${book}:1` }), foreignOutcome: notFound },
  create_markdown_item: { input: () => ({ title: 'Mine', content: 'x' }), foreignOutcome: nothingOfOwner },
  append_item_pages: { input: ({ book }) => ({ id: book, content: '# New\n' }), foreignOutcome: notFound },
  put_item_page: { input: ({ book }) => ({ id: book, pageNum: 1, content: '# New\n' }), foreignOutcome: notFound },
  put_item_content: { input: ({ book }) => ({ id: book, content: '# New\n' }), foreignOutcome: notFound },
  enrich_item: { input: ({ book }) => ({ itemId: book, title: 'New' }), foreignOutcome: notFound },
  flag_item: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  reprocess_item: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  delete_items: { input: ({ book }) => ({ ids: [book] }), foreignOutcome: nothingOfOwner },
  undelete_item: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  list_deleted_items: { input: noInput, foreignOutcome: nothingOfOwner },
  erase_deleted_item: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  list_item_versions: { input: ({ book }) => ({ id: book }), foreignOutcome: notFound },
  restore_item_version: { input: ({ book }) => ({ id: book, version: 1 }), foreignOutcome: notFound },
  purge_item_version: {
    input: ({ book }) => ({ itemId: book, version: 1, confirm: true }),
    foreignOutcome: notFound,
  },
  list_shelves: { input: noInput, foreignOutcome: nothingOfOwner },
  get_shelf: { input: ({ shelf }) => ({ shelf }), foreignOutcome: shelfNotFound },
  create_shelf: { input: () => ({ name: 'Mine' }), foreignOutcome: nothingOfOwner },
  update_shelf: { input: ({ shelf }) => ({ shelf, name: 'New' }), foreignOutcome: shelfNotFound },
  delete_shelf: { input: ({ shelf }) => ({ shelf }), foreignOutcome: shelfNotFound },
  add_to_shelf: { input: ({ shelf, book }) => ({ shelf, itemIds: [book] }), foreignOutcome: shelfNotFound },
  remove_from_shelf: { input: ({ shelf, book }) => ({ shelf, itemIds: [book] }), foreignOutcome: shelfNotFound },
  list_manuscripts: { input: noInput, foreignOutcome: nothingOfOwner },
  create_manuscript: {
    input: ({ book }) => ({ title: 'Mine', itemId: book }),
    foreignOutcome: { status: 404, code: 'ITEM_NOT_FOUND' },
  },
  update_manuscript: {
    input: ({ manuscript }) => ({ manuscriptId: manuscript, title: 'New' }),
    foreignOutcome: notFound,
  },
  archive_manuscript: { input: ({ manuscript }) => ({ manuscriptId: manuscript }), foreignOutcome: notFound },
  list_book_gaps: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFoundWithoutCode },
  resolve_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x' }), foreignOutcome: notFoundWithoutCode },
  restore_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x' }), foreignOutcome: notFoundWithoutCode },
  dismiss_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x' }), foreignOutcome: notFoundWithoutCode },
  update_book_gap: {
    input: ({ book }) => ({ itemId: book, subcategory: 'x', status: 'OPEN' }),
    foreignOutcome: notFoundWithoutCode,
  },
  list_author_gaps: { input: noInput, foreignOutcome: nothingOfOwner },
  report_gap: { input: () => ({ intent: 'x', category: 'other', subcategory: 'x' }), foreignOutcome: nothingOfOwner },
  report_book_gap: {
    input: ({ book }) => ({ itemId: book, intent: 'x', category: 'other', subcategory: 'x' }),
    foreignOutcome: nothingOfOwner,
  },
  suggest_book: { input: () => ({ title: 'x', reason: 'x' }), foreignOutcome: nothingOfOwner },
  get_usable_books: { input: noInput, foreignOutcome: nothingOfOwner },
  pick_usable_books: { input: ({ book }) => ({ ids: [book] }), foreignOutcome: notFound },
  start_access_session: { input: noInput, foreignOutcome: nothingOfOwner },
  complete_access_session: { input: ({ session }) => ({ sessionId: session }), foreignOutcome: notFoundWithoutCode },
  check_upload: { input: () => ({ filename: 'secret.pdf' }), foreignOutcome: nothingOfOwner },
  start_upload: {
    input: () => ({ filename: 'mine.pdf', size: 10, contentType: 'application/pdf' }),
    foreignOutcome: nothingOfOwner,
  },
  confirm_upload: { input: ({ upload }) => upload, foreignOutcome: notFoundWithoutCode },
  upload_file: { input: () => ({ filename: 'mine.md', file: '# Mine\n' }), foreignOutcome: nothingOfOwner },
  // Disabled by default.
  import_url: {
    input: () => ({ url: 'https://127.0.0.1/book.pdf' }),
    foreignOutcome: { status: 403, code: 'FORBIDDEN' },
  },
  list_jobs: { input: noInput, foreignOutcome: nothingOfOwner },
  get_recognition: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  get_job: { input: ({ job }) => ({ jobId: job }), foreignOutcome: notFound },
  cancel_job: { input: ({ job }) => ({ jobId: job }), foreignOutcome: notFound },
  get_config: { input: noInput, foreignOutcome: nothingOfOwner },
  get_meaning_search: { input: noInput, foreignOutcome: nothingOfOwner },
  change_meaning_search: { input: () => ({ enabled: false }), foreignOutcome: nothingOfOwner },
  update_config: { input: () => ({ planMode: 'ask' }), foreignOutcome: nothingOfOwner },
  switch_agent: { input: () => ({ op: 'disable', agent: 'codex' }), foreignOutcome: nothingOfOwner },
  report_agents: { input: () => ({ machineId: 'machine-1', agents: [] }), foreignOutcome: nothingOfOwner },
  list_machines: { input: noInput, foreignOutcome: nothingOfOwner },
  list_notifications: { input: noInput, foreignOutcome: nothingOfOwner },
  mark_notifications_read: { input: ({ job }) => ({ ids: [job] }), foreignOutcome: nothingOfOwner },
  send_report: { input: () => ({ title: 'A title', body: 'A body' }), foreignOutcome: nothingOfOwner },
  get_value_report: { input: noInput, foreignOutcome: nothingOfOwner },
  list_report_sessions: { input: noInput, foreignOutcome: nothingOfOwner },
  list_teams: { input: noInput, foreignOutcome: nothingOfOwner },
  create_team: { input: () => ({ name: 'Mine' }), foreignOutcome: nothingOfOwner },
  update_team: { input: ({ team }) => ({ teamId: team, name: 'New' }), foreignOutcome: notTeamMember },
  delete_team: { input: ({ team }) => ({ teamId: team }), foreignOutcome: notTeamMember },
  leave_team: { input: ({ team }) => ({ teamId: team }), foreignOutcome: notTeamMember },
  list_team_members: { input: ({ team }) => ({ teamId: team }), foreignOutcome: notTeamMember },
  invite_team_member: {
    input: ({ team }) => ({ teamId: team, email: 'a@lectern.example' }),
    foreignOutcome: notTeamMember,
  },
  change_team_role: {
    input: ({ team }) => ({ teamId: team, email: 'a@lectern.example', role: 'MEMBER' }),
    foreignOutcome: notTeamMember,
  },
  remove_team_member: {
    input: ({ team }) => ({ teamId: team, email: 'a@lectern.example' }),
    foreignOutcome: notTeamMember,
  },
  list_invites: { input: noInput, foreignOutcome: nothingOfOwner },
  accept_invite: { input: ({ invite }) => ({ token: invite }), foreignOutcome: notFound },
  decline_invite: { input: ({ invite }) => ({ token: invite }), foreignOutcome: notFound },
  list_departments: { input: ({ team }) => ({ teamId: team }), foreignOutcome: notTeamMember },
  create_department: { input: ({ team }) => ({ teamId: team, name: 'New' }), foreignOutcome: notTeamMember },
  rename_department: {
    input: ({ team }) => ({ teamId: team, dept: 'sales', name: 'New' }),
    foreignOutcome: notTeamMember,
  },
  delete_department: { input: ({ team }) => ({ teamId: team, dept: 'sales' }), foreignOutcome: notTeamMember },
  list_department_members: { input: ({ team }) => ({ teamId: team, dept: 'sales' }), foreignOutcome: notTeamMember },
  add_department_member: {
    input: ({ team }) => ({ teamId: team, dept: 'sales', email: 'a@lectern.example' }),
    foreignOutcome: notTeamMember,
  },
  remove_department_member: {
    input: ({ team }) => ({ teamId: team, dept: 'sales', email: 'a@lectern.example' }),
    foreignOutcome: notTeamMember,
  },
  list_team_items: { input: ({ team }) => ({ teamId: team }), foreignOutcome: notTeamMember },
  share_item: { input: ({ team, book }) => ({ teamId: team, itemId: book }), foreignOutcome: notTeamMember },
  update_share: {
    input: ({ team, book }) => ({ teamId: team, itemId: book, accessLevel: 'WRITE' }),
    foreignOutcome: notTeamMember,
  },
  unshare_item: { input: ({ team, book }) => ({ teamId: team, itemId: book }), foreignOutcome: notTeamMember },
  get_access_report: { input: ({ team }) => ({ teamId: team }), foreignOutcome: notTeamMember },
  browse_marketplace: { input: noInput, foreignOutcome: nothingOfOwner },
  subscribe_marketplace: { input: ({ listing }) => ({ listingId: listing }), foreignOutcome: notFoundWithoutCode },
  unsubscribe_marketplace: { input: ({ listing }) => ({ listingId: listing }), foreignOutcome: notFound },
  list_listings: { input: noInput, foreignOutcome: nothingOfOwner },
  publish_listing: { input: ({ book }) => ({ itemId: book }), foreignOutcome: notFound },
  update_listing: { input: ({ listing }) => ({ id: listing, proOnly: true }), foreignOutcome: notFound },
  withdraw_listing: { input: ({ listing }) => ({ id: listing }), foreignOutcome: notFound },
}

/** Routes that accept only a browser session: every key is refused. */
export const sessionOnly = ['list_api_keys', 'create_api_key', 'revoke_api_key']

/** True if a tool is offered over `rest` or `mcp`. */
export function hasTransport(name: string, transport: string): boolean {
  const tool = tools.find((candidate) => candidate.name === name)
  return transport === 'rest' ? tool?.rest !== undefined : tool?.mcp !== false
}

/** True for public routes. */
export function isPublic(name: string, transport: string): boolean {
  return transport === 'rest' && tools.find((candidate) => candidate.name === name)?.rest?.credential === 'none'
}
