import type { Document, Filter } from 'mongodb'
import { gatherRows } from '../runtime/batch.ts'
import { newId } from '../core/ids.ts'
import {
  settleTally,
  wrongTallies,
  type CountedRow,
  type Sums,
  type TallySettings,
  type Uncounted,
} from './derived-count-rows.ts'

/**
 * Sums over the rows of an owner that cost two small queries however many rows there are. A row that has changed carries
 * a mark; whoever reads the sums takes the marked rows into them first: the sums and the list of what is moved change in
 * one conditional write, and whatever dies behind it, the next reader brings the list to its end. So sums are exact.
 */
export interface Tally {
  /** The fields of a row that is about to be added. */
  fresh(owner: string): { uncounted: Uncounted }
  /** An update that changes counted rows. */
  changing(set: Document): Document[]
  /** An update that has rows removed by the next `settle` of their owner. */
  removing(): Document[]
  /** An update that lets rows stay that were to be removed. */
  keeping(): Document
  /** The sums of owners, with every change that was made before the call. */
  read(owners: readonly string[]): Promise<ReadonlyMap<string, Sums>>
  /** Brings the sums of an owner up to date; marked rows that are to go are gone then. */
  settle(owner: string): Promise<void>
  /** Removes the sums of an owner; they are made anew when they are asked for. */
  forget(owner: string): Promise<void>
  /** Owners whose sums are not what their rows say. */
  wrong(): AsyncIterable<string>
}

/** A tally of the rows of a collection. */
export function createTally<Row extends CountedRow>(settings: TallySettings<Row>): Tally {
  const { rows, tallies, fields, owner: ownerField } = settings
  const marking = () => {
    const due = newId()
    const was = { fields: Object.fromEntries(fields.map((name) => [name, `$${name}`])) }
    return {
      'uncounted.owner': `$${ownerField}`,
      'uncounted.due': due,
      'uncounted.was': { $ifNull: ['$uncounted.was', was] },
      'uncounted.since': { $ifNull: ['$uncounted.since', due] },
    }
  }
  const any = settings as unknown as TallySettings
  const settle = (owner: string) => settleTally(any, owner)
  const load = async (owners: readonly string[]) => {
    const marked = { 'uncounted.owner': { $in: [...owners] } } as unknown as Filter<Row>
    const dirty = await rows
      .find(marked, { projection: { 'uncounted.owner': 1 } })
      .limit(1)
      .toArray()
    const found = dirty.length > 0 ? [] : await tallies.find({ _id: { $in: [...owners] } }).toArray()
    if (found.length === owners.length) return found
    for (const owner of owners) await settle(owner)
    return tallies.find({ _id: { $in: [...owners] } }).toArray()
  }
  const read = gatherRows(load)
  return {
    fresh: (owner) => {
      const due = newId()
      return { uncounted: { owner, due, was: { fields: null }, since: due } }
    },
    changing(set) {
      const literal = Object.entries(set).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, { $literal: value }]],
      )
      return [{ $set: marking() }, { $set: Object.fromEntries(literal) }]
    },
    removing: () => [{ $set: { ...marking(), 'uncounted.gone': true } }],
    keeping: () => ({ $set: { 'uncounted.due': newId() }, $unset: { 'uncounted.gone': '' } }),
    read: async (owners) => new Map((await read(owners)).map(({ _id, sums }) => [_id, sums])),
    settle,
    async forget(owner) {
      await tallies.deleteOne({ _id: owner })
    },
    wrong: () => wrongTallies(any),
  }
}
