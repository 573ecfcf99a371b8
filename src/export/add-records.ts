import { readingPreferencesOf } from '../accounts/reading-preferences.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { AccountStores } from '../accounts/store.ts'
import { findAccessibleBooks, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import { systemOwner } from '../books/book.ts'
import type { Call } from '../core/context.ts'
import type { GapStores } from '../gaps/store.ts'
import type { SuggestionStores } from '../gaps/suggestion-store.ts'
import type { ManuscriptStores } from '../manuscripts/store.ts'
import { listListings } from '../marketplace/list-listings.ts'
import type { ListingStores } from '../marketplace/listing-store.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import { presentSession } from '../research/session-page.ts'
import type { SessionStores } from '../research/session-store.ts'
import { valueReport } from '../research/value-report.ts'
import type { WikiSources } from '../research/wiki-report.ts'
import { listMachines, type TelemetrySettings } from '../settings/machines.ts'
import type { SettingsStores } from '../settings/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { SupportStores } from '../support/store.ts'
import type { DepartmentStores } from '../teams/department-store.ts'
import { listTeams } from '../teams/list-teams.ts'
import type { MemberStores } from '../teams/member-store.ts'
import type { ShareStores } from '../teams/share-store.ts'
import type { TeamStores } from '../teams/store.ts'
import type { DraftStores } from '../writing/draft-store.ts'
import { maxDrafts } from '../writing/save-draft.ts'
import type { Archive } from './archive.ts'

/** The stores of all data of an account except the contents of its books. */
export type RecordStores = Call &
  AccountStores &
  BookAccessStores &
  DepartmentStores &
  DraftStores &
  GapStores &
  ListingStores &
  ManuscriptStores &
  MemberStores &
  PlacementStores &
  ReadLogStores &
  ReadStores &
  ReadingPositionStores &
  SessionStores &
  SettingsStores &
  ShareStores &
  ShelfStores &
  SuggestionStores &
  SupportStores &
  TeamStores &
  TelemetrySettings &
  WikiSources

/** Number of rows that are read at a time. */
const batch = 200
const maxSuggestions = 100_000
const dayMs = 24 * 60 * 60 * 1000
/** Maximum period of a report, days. */
const maxReportDays = 3660

/**
 * Adds the profile: the account, its settings, teams and machines. Contains no password, key or token, and none of
 * their hashes.
 */
export async function addProfile(ctx: RecordStores, archive: Archive): Promise<void> {
  const { account, plan, id } = ctx.actor
  const { skill, disabledAgents } = await ctx.settings.get(id)
  const { machines } = await listMachines(ctx, {})
  const { teams } = await listTeams(ctx, {})
  archive.count('teams', teams.length)
  await archive.addJson('account.json', {
    id,
    name: account.name,
    email: account.email,
    emailProvenAt: account.emailProvenAt?.toISOString() ?? null,
    createdAt: account.createdAt.toISOString(),
    plan: plan.tierDisplay,
    readsThisMonth: await ctx.readMeter.used(id, ctx.now()),
    reading: readingPreferencesOf(account),
    agents: { settings: skill, disabled: disabledAgents, machines },
    // Data of other members is left out.
    teams: teams.map(({ name, role }) => ({ name, role })),
  })
}

/**
 * Adds the shelves in order with their books. Books of others are listed with their title as long as they are readable.
 */
export async function addShelves(ctx: RecordStores, archive: Archive): Promise<void> {
  const shelves = await ctx.shelves.list(ctx.actor.id)
  archive.count('shelves', shelves.length)
  const listed = []
  for (const { id, name, slug, color, createdAt } of shelves) {
    const placements = await ctx.placements.list(ctx.actor.id, { shelfId: id })
    const books = await nameBooks(
      ctx,
      placements.map(({ itemId }) => itemId),
    )
    listed.push({ name, slug, color, createdAt: createdAt.toISOString(), books })
  }
  await archive.addJson('shelves.json', listed)
}

/** Adds the titles of the marketplace books that the account has added. */
export async function addSubscriptions(ctx: RecordStores, archive: Archive): Promise<void> {
  const subscriptions = await ctx.subscriptions.listByAccount(ctx.actor.id, null)
  archive.count('subscriptions', subscriptions.length)
  const books = await nameBooks(
    ctx,
    subscriptions.map(({ itemId }) => itemId),
  )
  const since = new Map(subscriptions.map(({ itemId, createdAt }) => [itemId, createdAt.toISOString()]))
  await archive.addJson(
    'subscriptions.json',
    books.map((book) => ({ ...book, since: since.get(book.id) })),
  )
}

/** Adds the account's marketplace listings; if the credential may not see them, adds a line to the manifest. */
export async function addListings(ctx: RecordStores, archive: Archive): Promise<void> {
  if (!ctx.actor.scopes.includes('marketplace:read')) {
    archive.absent('listings.json', 'The key or token has no scope marketplace:read. Use one that has it.')
    return
  }
  const { listings } = await listListings(ctx, {})
  archive.count('listings', listings.length)
  await archive.addJson('listings.json', listings)
}

/** Adds the account's manuscripts, without instructions written by others. */
export async function addManuscripts(ctx: RecordStores, archive: Archive): Promise<void> {
  const manuscripts = await ctx.manuscripts.list(ctx.actor.id)
  archive.count('manuscripts', manuscripts.length)
  const described = manuscripts.map((manuscript) => {
    const { id, itemId, title, description, audience, topics, criteria, trigger, status, autoUpdate } = manuscript
    const isOwn = (manuscript.instructionsBy ?? ctx.actor.id) === ctx.actor.id
    return {
      id,
      itemId,
      title,
      description,
      audience,
      topics,
      criteria,
      trigger,
      status,
      autoUpdate,
      instructions: isOwn ? manuscript.instructions : null,
      structure: manuscript.structure === null ? null : JSON.parse(manuscript.structure),
      inTeam: manuscript.teamId !== null,
      createdAt: manuscript.createdAt.toISOString(),
      updatedAt: manuscript.updatedAt.toISOString(),
    }
  })
  await archive.addJson('manuscripts.json', described)
}

/** Adds research data: the sessions, a report over the whole period, and the amount read of each book. */
export async function addResearch(ctx: RecordStores, archive: Archive): Promise<void> {
  const start = ctx.actor.account.createdAt
  const now = ctx.now()
  // The clock of an account may have been ahead, so that it started before its first day.
  const span = { start: new Date(0), end: new Date(now.getTime() + dayMs) }
  await archive.addList('research/sessions.json', listSessions(ctx, span), 'sessions')
  const first = Math.max(Math.min(start.getTime(), now.getTime()), now.getTime() - (maxReportDays - 1) * dayMs)
  const from = new Date(first).toISOString().slice(0, 10)
  const window = { from, tz: 'UTC', sessionsLimit: 1, sessionsOffset: 0 }
  const { sessions: _, deepestSession: __, ...report } = await valueReport(ctx, window)
  const booksRead = await ctx.readLog.countsByBook(ctx.actor.id, span)
  await archive.addJson('research/report.json', { ...report, booksRead })
  await archive.addList('research/reading-positions.json', listPositions(ctx), 'readingPositions')
}

/** Adds what the account has written: requests to authors, suggested books, reports to administrators, drafts. */
export async function addWords(ctx: RecordStores, archive: Archive): Promise<void> {
  const span = { start: new Date(0), end: new Date(ctx.now().getTime() + dayMs), limit: maxSuggestions }
  await archive.addList('requests.json', listRequests(ctx), 'requests')
  const suggestions = await ctx.suggestions.list(ctx.actor.id, span)
  archive.count('suggestions', suggestions.length)
  await archive.addJson(
    'suggestions.json',
    suggestions.map(({ title, author, reason, createdAt }) => ({ title, author, reason, createdAt })),
  )
  await archive.addList('reports.json', listReports(ctx), 'reports')
  await archive.addList('drafts.json', listDrafts(ctx), 'drafts')
}

/** References to books from other files: with a title if the caller may read them. */
async function nameBooks(ctx: RecordStores, ids: readonly string[]) {
  const found = new Map<string, AccessibleBook>()
  for (let from = 0; from < ids.length; from += batch)
    for (const book of await findAccessibleBooks(ctx, ids.slice(from, from + batch))) found.set(book.id, book)
  return ids.map((id) => {
    const book = found.get(id)
    const owner =
      book?.ownerId === ctx.actor.id ? 'you' : book?.ownerId === systemOwner ? 'built in' : 'another account'
    return { id, title: book?.title ?? null, owner }
  })
}

async function* listSessions({ sessions, actor }: RecordStores, span: { start: Date; end: Date }) {
  for (let offset = 0; ; offset += batch) {
    const found = await sessions.list(actor.id, span, { limit: batch, offset })
    for (const session of found)
      yield { ...presentSession(session), completedAt: session.completedAt?.toISOString() ?? null }
    if (found.length < batch) return
  }
}

async function* listPositions({ readingPositions, actor }: RecordStores) {
  let after: { at: Date; itemId: string } | null = null
  for (;;) {
    const found = await readingPositions.listRecent(actor.id, batch, after)
    for (const { itemId, page, of, at } of found) yield { itemId, page, of, at }
    const last = found.at(-1)
    if (found.length < batch || !last) return
    after = last
  }
}

async function* listRequests({ gaps, actor }: RecordStores) {
  for await (const gap of gaps.listByReader(actor.id)) {
    const { id: _id, ownerId: _owner, readerId: _reader, topic: _topic, fulfilment: _fulfilment, ...request } = gap
    yield request
  }
}

async function* listReports({ support, actor }: RecordStores) {
  for await (const { title, body, type, createdAt } of support.list(actor.id)) yield { title, body, type, createdAt }
}

async function* listDrafts({ drafts, actor }: RecordStores) {
  for (const key of await drafts.list(actor.id, maxDrafts)) {
    const draft = await drafts.find(key)
    if (draft)
      yield { itemId: draft.itemId, place: draft.place, version: draft.version, at: draft.at, content: draft.content }
  }
}
