import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

export type ManuscriptStatus = 'ACTIVE' | 'PAUSED' | 'ARCHIVED'

export interface Manuscript {
  id: string
  /** The author's account id. */
  accountId: string
  /** The team that may read it, of which the author is a member; null for a private manuscript. */
  teamId: string | null
  /** The id of its book; the book of an archived manuscript may be deleted. */
  itemId: string
  title: string
  description: string | null
  audience: string | null
  topics: string[]
  criteria: string[]
  trigger: string | null
  instructions: string | null
  autoUpdate: boolean
  /** Who wrote the current instructions; absent in rows from before this was recorded. */
  instructionsBy?: string
  /** The team leader whose edit has switched `autoUpdate` off until the author agrees; absent or null: none. */
  autoUpdatePausedBy?: string | null
  /**
   * The name of the API key or application that created it, or else of its program; absent or null: unknown, or before this was recorded.
   */
  client?: string | null
  /** Accounts other than the author that have changed its text; absent: none recorded. */
  editors?: string[]
  /** JSON text of an object. Stored as text because the author chooses its keys, and MongoDB restricts keys. */
  structure: string | null
  status: ManuscriptStatus
  /** The id of the slot that an ACTIVE manuscript holds; null otherwise. */
  slot: string | null
  /**
   * When the sharing of its book with the team became due; null when shared. After a crash it stays set until the sweep
   * shares the book.
   */
  shareDueAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export type ManuscriptChange = Partial<Omit<Manuscript, 'id' | 'accountId' | 'createdAt'>> &
  Pick<Manuscript, 'itemId' | 'status' | 'slot'>

/**
 * `item-taken`: another unarchived manuscript has the book. `stale`: the stored manuscript is not, or no longer, as
 * expected.
 */
export type WriteOutcome = 'written' | 'item-taken' | 'stale'

export interface ManuscriptStore {
  /** Adds a manuscript; `stale` if its id exists already (a repeated create). */
  add(manuscript: Manuscript): Promise<WriteOutcome>
  byId(accountId: string, id: string): Promise<Manuscript | null>
  /** The number of the author's archived manuscripts. */
  countArchived(accountId: string): Promise<number>
  /** The author's manuscripts, newest first, at most `limit` if it is given. */
  list(accountId: string, status?: ManuscriptStatus, limit?: number): Promise<Manuscript[]>
  /** The manuscripts of these teams, newest first. */
  listByTeams(teamIds: readonly string[], status?: ManuscriptStatus): Promise<Manuscript[]>
  /** A manuscript of one of these teams. */
  findInTeams(teamIds: readonly string[], id: string): Promise<Manuscript | null>
  /** The unarchived manuscript of a book, of which there is at most one. */
  unarchivedByBook(accountId: string, itemId: string): Promise<Manuscript | null>
  /** The account's unarchived manuscripts whose books are among `itemIds`. */
  listUnarchivedByBooks(accountId: string, itemIds: readonly string[]): Promise<Manuscript[]>
  /** Changes a manuscript if it still has the status and the slot of `current`. */
  change(current: Manuscript, change: ManuscriptChange): Promise<WriteOutcome>
  /** Clears `shareDueAt`: the book is shared, or no longer to be shared. */
  clearShareDue(accountId: string, id: string): Promise<void>
  /** Turns the author's manuscripts of a team into private ones. */
  detachFromTeam(accountId: string, teamId: string): Promise<void>
  /** Manuscripts whose book was due to be shared before `before`. */
  listShareDue(before: Date): Promise<Manuscript[]>
  remove(accountId: string, id: string): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** Every manuscript, for consistency checks. */
  all(): AsyncIterable<Manuscript>
}

export interface ManuscriptStores {
  manuscripts: ManuscriptStore
}

/** `liveItemId` is set, and unique, while the manuscript is not archived. */
type Row = Omit<Manuscript, 'id'> & { _id: string; liveItemId?: string }

/** Manuscripts on MongoDB: collection `manuscripts`. */
export function createManuscriptStore(db: Db): ManuscriptStore {
  const rows = db.collection<Row>('manuscripts')
  return { ...readMethods(rows), ...writeMethods(rows) }
}

function readMethods(rows: Collection<Row>) {
  async function* all() {
    for await (const row of rows.find()) yield toManuscript(row)
  }
  return {
    all,
    async byId(accountId: string, id: string) {
      const row = await rows.findOne({ _id: id, accountId })
      return row && toManuscript(row)
    },
    countArchived: (accountId: string) => rows.countDocuments({ accountId, status: 'ARCHIVED' }),
    async list(accountId: string, status?: ManuscriptStatus, limit = 0) {
      const filter = { accountId, ...(status === undefined ? {} : { status }) }
      return (await rows.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()).map(toManuscript)
    },
    async listByTeams(teamIds: readonly string[], status?: ManuscriptStatus) {
      const filter = { teamId: { $in: [...teamIds] }, ...(status === undefined ? {} : { status }) }
      return (await rows.find(filter).sort({ createdAt: -1, _id: -1 }).toArray()).map(toManuscript)
    },
    async findInTeams(teamIds: readonly string[], id: string) {
      const row = await rows.findOne({ _id: id, teamId: { $in: [...teamIds] } })
      return row && toManuscript(row)
    },
    listShareDue: async (before: Date) =>
      (await rows.find({ shareDueAt: { $lt: before } }).toArray()).map(toManuscript),
    async unarchivedByBook(accountId: string, itemId: string) {
      const row = await rows.findOne({ liveItemId: itemId, accountId })
      return row && toManuscript(row)
    },
    async listUnarchivedByBooks(accountId: string, itemIds: readonly string[]) {
      return (await rows.find({ liveItemId: { $in: [...itemIds] }, accountId }).toArray()).map(toManuscript)
    },
  }
}

function writeMethods(rows: Collection<Row>) {
  return {
    async add({ id, ...fields }: Manuscript) {
      const live = fields.status === 'ARCHIVED' ? {} : { liveItemId: fields.itemId }
      try {
        await rows.insertOne({ _id: id, ...fields, ...live })
        return 'written'
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        return (await rows.findOne({ _id: id }, { projection: { _id: 1 } })) ? 'stale' : 'item-taken'
      }
    },
    async change({ id, accountId, status, slot }: Manuscript, change: ManuscriptChange) {
      const { itemId } = change
      const update =
        change.status === 'ARCHIVED'
          ? { $set: change, $unset: { liveItemId: true as const } }
          : { $set: { ...change, liveItemId: itemId } }
      try {
        const { matchedCount } = await rows.updateOne({ _id: id, accountId, status, slot }, update)
        return matchedCount === 1 ? 'written' : 'stale'
      } catch (error) {
        if (isDuplicateKey(error)) return 'item-taken'
        throw error
      }
    },
    async clearShareDue(accountId: string, id: string) {
      await rows.updateOne({ _id: id, accountId }, { $set: { shareDueAt: null } })
    },
    async detachFromTeam(accountId: string, teamId: string) {
      await rows.updateMany({ accountId, teamId }, { $set: { teamId: null, shareDueAt: null } })
    },
    async remove(accountId: string, id: string) {
      await rows.deleteOne({ _id: id, accountId })
    },
    async removeAccount(accountId: string) {
      await rows.deleteMany({ accountId })
    },
  } satisfies Partial<ManuscriptStore>
}

function toManuscript({ _id, liveItemId: _, ...fields }: Row): Manuscript {
  return { id: _id, ...fields }
}
