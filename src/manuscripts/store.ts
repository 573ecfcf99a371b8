import type { Collection, Db } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'

export type ManuscriptStatus = 'ACTIVE' | 'PAUSED' | 'ARCHIVED'

export interface Manuscript {
  id: string
  /** The author. */
  accountId: string
  /** The team that reads it; its author is in it. */
  teamId: string | null
  /** The book behind it; an archived manuscript may have outlived it. */
  itemId: string
  title: string
  description: string | null
  audience: string | null
  topics: string[]
  criteria: string[]
  trigger: string | null
  instructions: string | null
  autoUpdate: boolean
  /** JSON text of an object: its keys are the author's, and a document's keys are not free. */
  structure: string | null
  status: ManuscriptStatus
  /** The slot that an ACTIVE one holds; null for the others. */
  slot: string | null
  /** Since when its book is to be shared with the team; null at rest. A crash leaves a date behind. */
  shareDueAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export type ManuscriptChange = Partial<Omit<Manuscript, 'id' | 'accountId' | 'createdAt'>> &
  Pick<Manuscript, 'itemId' | 'status' | 'slot'>

/** `item-taken`: another manuscript that is not archived has the book. `stale`: it is not, or no more, as expected. */
export type WriteOutcome = 'written' | 'item-taken' | 'stale'

export interface ManuscriptStore {
  /** Adds a manuscript; `stale` when its id exists already (a repeated create). */
  add(manuscript: Manuscript): Promise<WriteOutcome>
  byId(accountId: string, id: string): Promise<Manuscript | null>
  /** The author's manuscripts, newest first. */
  list(accountId: string, status?: ManuscriptStatus): Promise<Manuscript[]>
  /** The manuscripts of these teams, newest first. */
  listByTeams(teamIds: readonly string[], status?: ManuscriptStatus): Promise<Manuscript[]>
  /** A manuscript of one of these teams. */
  findInTeams(teamIds: readonly string[], id: string): Promise<Manuscript | null>
  /** The manuscript of a book that is not archived: there is one at most. */
  unarchivedByBook(accountId: string, itemId: string): Promise<Manuscript | null>
  /** Changes a manuscript that still has the status and the slot of `current`. */
  change(current: Manuscript, change: ManuscriptChange): Promise<WriteOutcome>
  /** The book of a manuscript is shared now, or is not to be. */
  clearShareDue(accountId: string, id: string): Promise<void>
  /** The author's manuscripts are no longer those of the team. */
  detachFromTeam(accountId: string, teamId: string): Promise<void>
  /** Manuscripts whose book has been waiting to be shared since before `before`. */
  listShareDue(before: Date): Promise<Manuscript[]>
  remove(accountId: string, id: string): Promise<void>
  removeAccount(accountId: string): Promise<void>
  /** Every manuscript, for checks. */
  all(): AsyncIterable<Manuscript>
}

export interface ManuscriptStores {
  manuscripts: ManuscriptStore
}

/** `liveItemId` is there while the manuscript is not archived, and unique. */
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
    async list(accountId: string, status?: ManuscriptStatus) {
      const filter = { accountId, ...(status === undefined ? {} : { status }) }
      return (await rows.find(filter).sort({ createdAt: -1, _id: -1 }).toArray()).map(toManuscript)
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
