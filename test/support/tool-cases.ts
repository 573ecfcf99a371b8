import { tools } from '../../tools/index.ts'

/** What of the owner's a foreign caller names. */
export interface Things {
  book: string
  shelf: string
  manuscript: string
  session: string
  /** A withdrawn one: nobody but its owner can find it. */
  listing: string
  team: string
  /** Of an invitation to somebody else. */
  invite: string
  upload: { itemId: string; storageKey: string }
  job: string
}

/** What the call of a stranger answers: a refusal that looks like a missing object, or an answer without anything of the owner's. */
export type Foreign = { status: 404 | 403; code: string | null } | 'nothing of the owner'

export interface Row {
  /** A call that the owner could make. */
  input: (things: Things) => Record<string, unknown>
  foreign: Foreign
}

const missing: Foreign = { status: 404, code: 'NOT_FOUND' }
const missingBare: Foreign = { status: 404, code: null }
/** Team routes answer so for unknown teams too (contract, Errors). */
const noTeam: Foreign = { status: 403, code: 'NOT_A_TEAM_MEMBER' }
const noShelf: Foreign = { status: 404, code: 'SHELF_NOT_FOUND' }
const nothing: Foreign = 'nothing of the owner'
const none = () => ({})

/** Every capability but those of `sessionOnly`, as a call that its owner could make. */
export const everyTool: Readonly<Record<string, Row>> = {
  whoami: { input: none, foreign: nothing },
  library_summary: { input: none, foreign: nothing },
  list_items: { input: none, foreign: nothing },
  search_items: { input: () => ({ query: 'secret' }), foreign: nothing },
  get_table_of_contents: { input: ({ book }) => ({ ids: [book] }), foreign: nothing },
  read_items: { input: ({ book }) => ({ items: [{ id: book }] }), foreign: nothing },
  get_item_content: { input: ({ book }) => ({ id: book }), foreign: missingBare },
  check_citations: {
    input: ({ book }) => ({ citations: [{ itemId: book, page: 1, quote: 'text 1' }] }),
    foreign: nothing,
  },
  search: { input: () => ({ query: 'secret' }), foreign: nothing },
  fetch: { input: ({ book }) => ({ id: `${book}:1` }), foreign: missing },
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
  list_book_gaps: { input: ({ book }) => ({ itemId: book }), foreign: missingBare },
  resolve_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x' }), foreign: missingBare },
  restore_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x' }), foreign: missingBare },
  dismiss_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x' }), foreign: missingBare },
  update_book_gap: { input: ({ book }) => ({ itemId: book, subcategory: 'x', status: 'OPEN' }), foreign: missingBare },
  list_author_gaps: { input: none, foreign: nothing },
  report_gap: { input: () => ({ intent: 'x', category: 'other', subcategory: 'x' }), foreign: nothing },
  report_book_gap: {
    input: ({ book }) => ({ itemId: book, intent: 'x', category: 'other', subcategory: 'x' }),
    foreign: nothing,
  },
  suggest_book: { input: () => ({ title: 'x', reason: 'x' }), foreign: nothing },
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
  list_teams: { input: none, foreign: nothing },
  create_team: { input: () => ({ name: 'Mine' }), foreign: nothing },
  update_team: { input: ({ team }) => ({ teamId: team, name: 'New' }), foreign: noTeam },
  delete_team: { input: ({ team }) => ({ teamId: team }), foreign: noTeam },
  leave_team: { input: ({ team }) => ({ teamId: team }), foreign: noTeam },
  list_team_members: { input: ({ team }) => ({ teamId: team }), foreign: noTeam },
  invite_team_member: { input: ({ team }) => ({ teamId: team, email: 'a@lectern.example' }), foreign: noTeam },
  change_team_role: {
    input: ({ team }) => ({ teamId: team, email: 'a@lectern.example', role: 'MEMBER' }),
    foreign: noTeam,
  },
  remove_team_member: { input: ({ team }) => ({ teamId: team, email: 'a@lectern.example' }), foreign: noTeam },
  list_invites: { input: none, foreign: nothing },
  accept_invite: { input: ({ invite }) => ({ token: invite }), foreign: missing },
  decline_invite: { input: ({ invite }) => ({ token: invite }), foreign: missing },
  list_departments: { input: ({ team }) => ({ teamId: team }), foreign: noTeam },
  create_department: { input: ({ team }) => ({ teamId: team, name: 'New' }), foreign: noTeam },
  rename_department: { input: ({ team }) => ({ teamId: team, dept: 'sales', name: 'New' }), foreign: noTeam },
  delete_department: { input: ({ team }) => ({ teamId: team, dept: 'sales' }), foreign: noTeam },
  list_department_members: { input: ({ team }) => ({ teamId: team, dept: 'sales' }), foreign: noTeam },
  add_department_member: {
    input: ({ team }) => ({ teamId: team, dept: 'sales', email: 'a@lectern.example' }),
    foreign: noTeam,
  },
  remove_department_member: {
    input: ({ team }) => ({ teamId: team, dept: 'sales', email: 'a@lectern.example' }),
    foreign: noTeam,
  },
  list_team_items: { input: ({ team }) => ({ teamId: team }), foreign: noTeam },
  share_item: { input: ({ team, book }) => ({ teamId: team, itemId: book }), foreign: noTeam },
  update_share: { input: ({ team, book }) => ({ teamId: team, itemId: book, accessLevel: 'WRITE' }), foreign: noTeam },
  unshare_item: { input: ({ team, book }) => ({ teamId: team, itemId: book }), foreign: noTeam },
  get_access_report: { input: ({ team }) => ({ teamId: team }), foreign: noTeam },
  browse_marketplace: { input: none, foreign: nothing },
  subscribe_marketplace: { input: ({ listing }) => ({ listingId: listing }), foreign: missingBare },
  unsubscribe_marketplace: { input: ({ listing }) => ({ listingId: listing }), foreign: missing },
  list_listings: { input: none, foreign: nothing },
  publish_listing: { input: ({ book }) => ({ itemId: book }), foreign: missing },
  update_listing: { input: ({ listing }) => ({ id: listing, proOnly: true }), foreign: missing },
  withdraw_listing: { input: ({ listing }) => ({ id: listing }), foreign: missing },
}

/** Routes that take a browser's session and no key: every key is refused there, whoever holds it. */
export const sessionOnly = ['list_api_keys', 'create_api_key', 'revoke_api_key']

/** Whether a tool is offered over `rest` or `mcp`. */
export function hasDoor(name: string, door: string): boolean {
  const tool = tools.find((candidate) => candidate.name === name)
  return door === 'rest' ? tool?.rest !== undefined : tool?.mcp !== false
}

/** Routes that anybody may call. */
export function isOpen(name: string, door: string): boolean {
  return door === 'rest' && tools.find((candidate) => candidate.name === name)?.rest?.credential === 'none'
}
