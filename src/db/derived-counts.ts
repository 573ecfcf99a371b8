import type { Document, Filter } from 'mongodb'
import { batchLoad } from '../runtime/batch.ts'
import { isStoreFull } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import {
  correctCounts,
  reconcileCounts,
  sumCurrentRows,
  findMismatchedOwners,
  type CountedRow,
  type Sums,
  type DerivedCountsSettings,
  type PendingCount,
} from './derived-count-rows.ts'

/**
 * Exact sums over the rows of an owner, read with two small queries regardless of the number of rows. A changed row
 * carries a pending count. A reader first adds pending rows to the sums: one conditional write updates the sums and the
 * list of counted changes. After a crash, the next reader completes that list.
 */
export interface DerivedCounts {
  /** The pending-count fields of a row to insert. */
  pendingInsert(owner: string): { uncounted: PendingCount }
  /** An update pipeline that sets counted fields, and adds to those in `increments`, where a missing one counts as 0. */
  pendingUpdate(set: Document, increments?: Record<string, number | undefined>): Document[]
  /** An update pipeline that marks rows for removal by the next `reconcile` of their owner. */
  pendingRemoval(): Document[]
  /** An update that cancels a pending removal, and sets fields that are not counted. */
  cancelRemoval(set?: Document): Document
  /** Reads the sums of owners, including every change made before the call. */
  read(owners: readonly string[]): Promise<ReadonlyMap<string, Sums>>
  /** Updates the sums of an owner, then deletes its rows marked for removal. */
  reconcile(owner: string): Promise<void>
  /** Deletes the sums of an owner; the next read recreates them. */
  reset(owner: string): Promise<void>
  /** Replaces the sums of an owner by those of its rows. */
  correct(owner: string): Promise<void>
  /** Yields the owners whose sums do not match their rows. */
  findMismatches(): AsyncIterable<string>
}

/** Creates the derived counts of a collection. */
export function createDerivedCounts<Row extends CountedRow>(settings: DerivedCountsSettings<Row>): DerivedCounts {
  const { rows, counts, fields, ownerField } = settings
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
    const found = pendingRows.length > 0 ? [] : await counts.find({ _id: { $in: [...owners] } }).toArray()
    if (found.length === owners.length) return found
    try {
      for (const owner of owners) await reconcile(owner)
    } catch (error) {
      if (!isStoreFull(error)) throw error
      return Promise.all(owners.map(async (_id) => ({ _id, sums: await sumCurrentRows(untyped, _id) })))
    }
    return counts.find({ _id: { $in: [...owners] } }).toArray()
  }
  const read = batchLoad(load)
  return {
    pendingInsert: (owner) => {
      const changeId = newId()
      return { uncounted: { owner, due: changeId, was: { fields: null }, since: changeId } }
    },
    pendingUpdate(set, increments = {}) {
      const literal = Object.entries(set).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, { $literal: value }]],
      )
      const added = Object.entries(increments).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, { $add: [{ $ifNull: [`$${name}`, 0] }, value] }]],
      )
      return [{ $set: markPending() }, { $set: Object.fromEntries([...literal, ...added]) }]
    },
    pendingRemoval: () => [{ $set: { ...markPending(), 'uncounted.gone': true } }],
    cancelRemoval: (set = {}) => ({ $set: { ...set, 'uncounted.due': newId() }, $unset: { 'uncounted.gone': '' } }),
    read: async (owners) => new Map((await read(owners)).map(({ _id, sums }) => [_id, sums])),
    reconcile,
    async reset(owner) {
      await counts.deleteOne({ _id: owner })
    },
    correct: (owner) => correctCounts(untyped, owner),
    findMismatches: () => findMismatchedOwners(untyped),
  }
}
