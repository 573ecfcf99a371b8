import type { Document, Filter } from 'mongodb'
import { batchLoad } from '../runtime/batch.ts'
import { newId } from '../core/ids.ts'
import {
  reconcileCounts,
  findMismatchedOwners,
  type CountedRow,
  type Sums,
  type DerivedCountsSettings,
  type PendingCount,
} from './derived-count-rows.ts'

/**
 * Sums over the rows of an owner that cost two small queries however many rows there are. A row that has changed carries
 * a mark; whoever reads the sums takes the marked rows into them first: the sums and the list of what is moved change in
 * one conditional write, and whatever dies behind it, the next reader brings the list to its end. So sums are exact.
 */
export interface DerivedCounts {
  /** The fields of a row that is about to be added. */
  pendingInsert(owner: string): { uncounted: PendingCount }
  /** An update that changes counted rows. */
  pendingUpdate(set: Document): Document[]
  /** An update that has rows removed by the next `settle` of their owner. */
  pendingRemoval(): Document[]
  /** An update that lets rows stay that were to be removed. */
  cancelRemoval(): Document
  /** The sums of owners, with every change that was made before the call. */
  read(owners: readonly string[]): Promise<ReadonlyMap<string, Sums>>
  /** Brings the sums of an owner up to date; marked rows that are to go are gone then. */
  reconcile(owner: string): Promise<void>
  /** Removes the sums of an owner; they are made anew when they are asked for. */
  reset(owner: string): Promise<void>
  /** Owners whose sums are not what their rows say. */
  findMismatches(): AsyncIterable<string>
}

/** A tally of the rows of a collection. */
export function createDerivedCounts<Row extends CountedRow>(settings: DerivedCountsSettings<Row>): DerivedCounts {
  const { rows, counts: tallies, fields, ownerField } = settings
  const markPending = () => {
    const changeId = newId()
    const was = { fields: Object.fromEntries(fields.map((name) => [name, `$${name}`])) }
    return {
      'uncounted.owner': `$${ownerField}`,
      'uncounted.due': changeId,
      'uncounted.was': { $ifNull: ['$uncounted.was', was] },
      'uncounted.since': { $ifNull: ['$uncounted.since', changeId] },
    }
  }
  const untyped = settings as unknown as DerivedCountsSettings
  const reconcile = (owner: string) => reconcileCounts(untyped, owner)
  const load = async (owners: readonly string[]) => {
    const pendingFilter = { 'uncounted.owner': { $in: [...owners] } } as unknown as Filter<Row>
    const pendingRows = await rows
      .find(pendingFilter, { projection: { 'uncounted.owner': 1 } })
      .limit(1)
      .toArray()
    const found = pendingRows.length > 0 ? [] : await tallies.find({ _id: { $in: [...owners] } }).toArray()
    if (found.length === owners.length) return found
    for (const owner of owners) await reconcile(owner)
    return tallies.find({ _id: { $in: [...owners] } }).toArray()
  }
  const read = batchLoad(load)
  return {
    pendingInsert: (owner) => {
      const changeId = newId()
      return { uncounted: { owner, due: changeId, was: { fields: null }, since: changeId } }
    },
    pendingUpdate(set) {
      const literal = Object.entries(set).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, { $literal: value }]],
      )
      return [{ $set: markPending() }, { $set: Object.fromEntries(literal) }]
    },
    pendingRemoval: () => [{ $set: { ...markPending(), 'uncounted.gone': true } }],
    cancelRemoval: () => ({ $set: { 'uncounted.due': newId() }, $unset: { 'uncounted.gone': '' } }),
    read: async (owners) => new Map((await read(owners)).map(({ _id, sums }) => [_id, sums])),
    reconcile,
    async reset(owner) {
      await tallies.deleteOne({ _id: owner })
    },
    findMismatches: () => findMismatchedOwners(untyped),
  }
}
