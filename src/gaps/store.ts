import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { planRemoval } from '../db/plan-removal.ts'
import type { Category } from '../marketplace/categories.ts'
import { liveStatuses, type GapStatus } from './schema.ts'

/** One request of one reader. */
export interface Gap {
  id: string
  /** Null for a request to the librarians about no particular book. */
  itemId: string | null
  /** The author of the book; the owner of the built-in books represents the librarians. */
  ownerId: string
  readerId: string
  /** The topic key of `subcategory`; for a request to the librarians, of `subcategory` and `suggestedTitle`. */
  topic: string
  subcategory: string
  category: Category
  intent: string
  aboutSection: string | null
  suggestedTitle: string | null
  suggestedAuthor: string | null
  /** The title under which the reader knew the book; null without a book. */
  itemTitle: string | null
  status: GapStatus
  /** The id of the call that fulfilled it; null until then. A reader has one unfulfilled request per book and topic. */
  fulfilment: string | null
  reportedAt: Date
}

/** The requests of one topic in one status, with the words of the latest one. */
export interface TopicGroup extends Pick<Gap, 'topic' | 'subcategory' | 'category' | 'intent' | 'aboutSection'> {
  reporterCount: number
  latestAt: Date
  gapIds: string[]
}

/** The open requests of one topic of one book. */
export interface OpenTopic {
  itemId: string
  subcategory: string
  reporterCount: number
}

/** Selects requests about a book: by ids, or all of a topic. */
export type GapSelection = { itemId: string } & ({ gapIds: readonly string[] } | { topic: string })

export interface GapStore {
  /**
   * Adds a pending request, which `confirmReport` must complete, and returns its id. If the reader has made the same
   * request after `since`, drops the new one and returns null. An older one is renewed, and reopened if it was
   * dismissed.
   */
  add(gap: Gap, since: Date): Promise<string | null>
  /** Number of requests of the reader about a book (null: about no book) after `since`. */
  count(readerId: string, itemId: string | null, since: Date): Promise<number>
  /**
   * Completes a report. It takes the status of the other requests of its topic if these are clustered or in progress.
   */
  confirmReport(ownerId: string, gap: Pick<Gap, 'id' | 'itemId' | 'topic'>): Promise<void>
  /** The requests about a book in one status, by topic, in no particular order. */
  topics(ownerId: string, itemId: string, status: GapStatus): Promise<TopicGroup[]>
  /** The open topics of all books of an author, or of some of them, in no particular order. */
  openTopics(ownerId: string, itemIds?: readonly string[]): Promise<OpenTopic[]>
  /** Moves the selected requests with a status in `from` to the status `to`; returns their number. */
  changeStatus(
    ownerId: string,
    selection: GapSelection,
    move: { from: readonly GapStatus[]; to: GapStatus },
  ): Promise<number>
  /** Fulfils the selected live requests and returns them. The caller must then notify their readers. */
  fulfil(ownerId: string, selection: GapSelection, fulfilment: { id: string; at: Date }): Promise<Gap[]>
  /** Records that the readers of these fulfilled requests were notified. */
  markNotified(ownerId: string, ids: readonly string[]): Promise<void>
  /** The requests of a reader, in no particular order. */
  listByReader(readerId: string): AsyncIterable<Gap>
  /** Requests whose report or fulfilment began before `before` and is still pending after a crash. */
  listStalePending(before: Date): AsyncIterable<Gap>
  remove(ownerId: string, id: string): Promise<void>
  /** Finds the requests about a deleted book; the returned function removes exactly these. */
  planRemoval(itemId: string): Promise<() => Promise<void>>
  /**
   * Moves the unfulfilled requests about a book to the book that replaces it, as pending reports that the sweep
   * completes.
   */
  transferToBook(ownerId: string, itemId: string, to: { successor: string; at: Date }): Promise<void>
  /** Removes the requests of a reader. */
  removeAccount(accountId: string): Promise<void>
}

export interface GapStores {
  gaps: GapStore
}

/** `unsettledAt`: the start of a pending report or fulfilment. */
type Row = Omit<Gap, 'id'> & { _id: string; unsettledAt?: Date }

/** Reader requests on MongoDB: collection `gaps`, one row per reader, book and topic until it is fulfilled. */
export function createGapStore(db: Db): GapStore {
  const rows = db.collection<Row>('gaps')
  return { ...reportMethods(rows), ...listMethods(rows), ...answerMethods(rows), ...removalMethods(rows) }
}

function reportMethods(rows: Collection<Row>) {
  return {
    async add({ id, ...fields }: Gap, since: Date) {
      const { readerId, itemId, topic, status, fulfilment, ...report } = fields
      const unsettledAt = fields.reportedAt
      try {
        await rows.insertOne({ _id: id, ...fields, unsettledAt })
        return id
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
      const old = { readerId, itemId, topic, fulfilment, reportedAt: { $lte: since } }
      const dismissed = { ...old, status: 'DISMISSED' as const }
      const renewed =
        (await rows.findOneAndUpdate(dismissed, { $set: { ...report, status, unsettledAt } })) ??
        (await rows.findOneAndUpdate(old, { $set: { ...report, unsettledAt } }))
      return renewed && renewed._id
    },
    count: (readerId: string, itemId: string | null, since: Date) =>
      rows.countDocuments({ readerId, itemId, reportedAt: { $gt: since } }),
    async confirmReport(ownerId: string, { id, itemId, topic }: Pick<Gap, 'id' | 'itemId' | 'topic'>) {
      const inProgress: Filter<Row> = { itemId, fulfilment: null, topic, status: { $in: ['CLUSTERED', 'IN_PROGRESS'] } }
      const other = await rows.findOne({ ...inProgress, ownerId }, { projection: { status: 1 } })
      if (other) await rows.updateOne({ _id: id, ownerId, status: 'OPEN' }, { $set: { status: other.status } })
      await rows.updateOne({ _id: id, ownerId, fulfilment: null }, { $unset: { unsettledAt: true } })
    },
  } satisfies Partial<GapStore>
}

function listMethods(rows: Collection<Row>) {
  return {
    async topics(ownerId: string, itemId: string, status: GapStatus) {
      const latest = Object.fromEntries(
        ['subcategory', 'category', 'intent', 'aboutSection'].map((field) => [field, { $last: `$${field}` }]),
      )
      const groups = await rows
        .aggregate<Omit<TopicGroup, 'topic' | 'reporterCount'> & { _id: string; readers: string[] }>([
          { $match: { itemId, status, ownerId } },
          { $sort: { reportedAt: 1, _id: 1 } },
          {
            $group: {
              _id: '$topic',
              ...latest,
              latestAt: { $last: '$reportedAt' },
              gapIds: { $push: '$_id' },
              readers: { $addToSet: '$readerId' },
            },
          },
        ])
        .toArray()
      return groups.map(({ _id, readers, ...group }) => ({ topic: _id, ...group, reporterCount: readers.length }))
    },
    async openTopics(ownerId: string, itemIds?: readonly string[]) {
      const itemId = itemIds === undefined ? { $ne: null } : { $in: [...itemIds] }
      // A reader has one open request per topic, so requests count readers.
      const groups = await rows
        .aggregate<{ _id: { itemId: string }; subcategory: string; reporterCount: number }>([
          { $match: { ownerId, status: 'OPEN', itemId } },
          { $sort: { itemId: 1, topic: 1, reportedAt: 1 } },
          {
            $group: {
              _id: { itemId: '$itemId', topic: '$topic' },
              subcategory: { $last: '$subcategory' },
              reporterCount: { $sum: 1 },
            },
          },
        ])
        .toArray()
      return groups.map(({ _id, ...topic }) => ({ itemId: _id.itemId, ...topic }))
    },
    async *listByReader(readerId: string) {
      for await (const row of rows.find({ readerId })) yield toGap(row)
    },
    async *listStalePending(before: Date) {
      for await (const row of rows.find({ unsettledAt: { $lt: before } })) yield toGap(row)
    },
  } satisfies Partial<GapStore>
}

function answerMethods(rows: Collection<Row>) {
  return {
    async changeStatus(
      ownerId: string,
      selection: GapSelection,
      { from, to }: { from: readonly GapStatus[]; to: GapStatus },
    ) {
      const filter = { ...selectionFilter(ownerId, selection), status: { $in: [...from] } }
      return (await rows.updateMany(filter, { $set: { status: to } })).modifiedCount
    },
    async fulfil(ownerId: string, selection: GapSelection, { id, at }: { id: string; at: Date }) {
      const filter = { ...selectionFilter(ownerId, selection), status: { $in: [...liveStatuses] } }
      const change = { status: 'FULFILLED' as const, fulfilment: id, unsettledAt: at }
      await rows.updateMany(filter, { $set: change })
      const { itemId } = selection
      return (await rows.find({ itemId, ownerId, fulfilment: id }).toArray()).map(toGap)
    },
    async markNotified(ownerId: string, ids: readonly string[]) {
      const filter = { _id: { $in: [...ids] }, ownerId, fulfilment: { $ne: null } }
      await rows.updateMany(filter, { $unset: { unsettledAt: true } })
    },
  } satisfies Partial<GapStore>
}

function selectionFilter(ownerId: string, { itemId, ...selection }: GapSelection): Filter<Row> {
  const criterion = 'gapIds' in selection ? { _id: { $in: [...selection.gapIds] } } : { topic: selection.topic }
  return { itemId, ownerId, fulfilment: null, ...criterion }
}

function removalMethods(rows: Collection<Row>) {
  return {
    async remove(ownerId: string, id: string) {
      await rows.deleteOne({ _id: id, ownerId })
    },
    planRemoval: (itemId: string) => planRemoval(rows, { itemId }),
    async transferToBook(ownerId: string, itemId: string, { successor, at }: { successor: string; at: Date }) {
      const change = { itemId: successor, unsettledAt: at }
      await rows.updateMany({ itemId, ownerId, fulfilment: null }, { $set: change })
    },
    async removeAccount(accountId: string) {
      await rows.deleteMany({ readerId: accountId })
    },
  } satisfies Partial<GapStore>
}

function toGap({ _id, unsettledAt: _, ...fields }: Row): Gap {
  return { id: _id, ...fields }
}
