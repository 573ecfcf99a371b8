import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'

/** Derived counts of an owner by name; zero counts are omitted. */
export type Sums = Readonly<Record<string, number>>

/**
 * The pending change of a row whose owner's sums are not up to date. The write that changes the row sets it in the same
 * operation, so that a crash cannot separate them. The field names are stored.
 */
export interface PendingCount {
  owner: string
  /** Change id; new with every change. */
  due: string
  /** The fields as counted in the sums; `fields: null` if the row is not counted. */
  was: CountedFields
  /** Id of `was`; new whenever `was` changes. */
  since: string
  /** Present if the row will be deleted once the sums no longer count it. */
  gone?: true
}

type CountedFields = { fields: Document | null }

/** The sums of an owner, with the changes of the last update that may not be acknowledged on the rows yet. */
export interface CountsRow {
  _id: string
  revision: number
  sums: Sums
  moved: CountChange[]
}

interface CountChange extends Pick<PendingCount, 'due' | 'since'> {
  id: string
  /** The fields as counted now. */
  to: CountedFields
  /** New id of `was`. */
  hence: string
  gone: boolean
}

export interface CountedRow {
  _id: string
  uncounted?: PendingCount
}

export interface DerivedCountsSettings<Row extends CountedRow = CountedRow> {
  rows: Collection<Row>
  counts: Collection<CountsRow>
  /** Field that holds a row's owner. */
  ownerField: string
  /** Filter for the counted rows. Default: all rows. */
  rowFilter?: Filter<Row>
  /** The counted fields; every write that changes one must set `uncounted`. */
  fields: readonly string[]
  sumsOf(fields: Document): Sums
}

/** Maximum number of rows per update of the sums. */
const batchSize = 500

/** Adds the pending rows of an owner to its sums; then deletes the rows marked for removal. */
export async function reconcileCounts(settings: DerivedCountsSettings, owner: string): Promise<void> {
  const { rows, counts, fields, sumsOf } = settings
  const projection = Object.fromEntries(['uncounted', ...fields].map((name) => [name, 1]))
  for (;;) {
    const current = (await counts.findOne({ _id: owner })) ?? (await initializeCounts(settings, owner))
    if (!current) continue
    if (current.moved.length > 0) {
      await acknowledgeChanges(settings, current)
      continue
    }
    // Read after the sums, which are replaced only if their revision is unchanged.
    const pendingRows = await rows.find({ 'uncounted.owner': owner }, { projection }).limit(batchSize).toArray()
    const changes = pendingRows.flatMap((row) => (row.uncounted ? [toCountChange(row, row.uncounted, fields)] : []))
    if (changes.length === 0) return
    const sums = { ...current.sums } as Record<string, number>
    for (const [at, { to }] of changes.entries()) {
      addSums(sums, to, { sumsOf, sign: 1 })
      addSums(sums, pendingRows[at]?.uncounted?.was, { sumsOf, sign: -1 })
    }
    const next = { _id: owner, revision: current.revision + 1, sums, moved: changes }
    const { matchedCount } = await counts.replaceOne({ _id: owner, revision: current.revision }, next)
    if (matchedCount === 0) continue
    await acknowledgeChanges(settings, next)
    if (changes.length < batchSize) return
  }
}

function toCountChange(
  row: CountedRow & Document,
  { due, since, gone }: PendingCount,
  fields: readonly string[],
): CountChange {
  const to = gone ? { fields: null } : currentFields(row, fields)
  return { id: row._id, due, since, to, hence: newId(), gone: gone === true }
}

function currentFields(row: Document, fields: readonly string[]): CountedFields {
  return { fields: Object.fromEntries(fields.map((name) => [name, row[name] ?? null])) }
}

function addSums(
  sums: Record<string, number>,
  counted: CountedFields | undefined,
  { sumsOf, sign }: Pick<DerivedCountsSettings, 'sumsOf'> & { sign: 1 | -1 },
): void {
  if (!counted?.fields) return
  for (const [name, value] of Object.entries(sumsOf(counted.fields))) {
    sums[name] = (sums[name] ?? 0) + sign * value
    if (sums[name] === 0) delete sums[name]
  }
}

/**
 * Acknowledges counted changes on their rows, and deletes the rows marked for removal. Each write matches the change id
 * that was counted, so a late write changes nothing: a row changed in the meantime stays pending with an updated `was`.
 */
async function acknowledgeChanges(
  { rows, counts }: DerivedCountsSettings,
  { _id, revision, moved }: CountsRow,
): Promise<void> {
  const operations = moved.flatMap(({ id, due, since, to, hence, gone }): AnyBulkWriteOperation<CountedRow>[] => {
    const filter = { _id: id, 'uncounted.due': due }
    const known = { 'uncounted.was': to, 'uncounted.since': hence }
    return [
      gone ? { deleteOne: { filter } } : { updateOne: { filter, update: { $unset: { uncounted: '' } } } },
      { updateOne: { filter: { _id: id, 'uncounted.since': since }, update: { $set: known } } },
    ]
  })
  await rows.bulkWrite(operations)
  await counts.updateOne({ _id, revision }, { $set: { moved: [] } })
}

/** Creates the sums of an owner from all its rows; null if another call was first. */
async function initializeCounts(settings: DerivedCountsSettings, owner: string): Promise<CountsRow | null> {
  const initial = { _id: owner, revision: 1, sums: await sumRows(settings, { _id: owner, moved: [] }), moved: [] }
  try {
    await settings.counts.insertOne(initial)
    return initial
  } catch (error) {
    if (isDuplicateKey(error)) return null
    throw error
  }
}

/** Sums the rows of an owner as they are counted; the result changes only with the stored sums. */
async function sumRows(
  { rows, ownerField, rowFilter = {}, fields, sumsOf }: DerivedCountsSettings,
  { _id, moved }: Pick<CountsRow, '_id' | 'moved'>,
): Promise<Sums> {
  const changesById = new Map(moved.map((change) => [change.id, change]))
  const sums: Record<string, number> = {}
  const projection = Object.fromEntries(['uncounted', ...fields].map((name) => [name, 1]))
  for await (const row of rows.find({ [ownerField]: _id, ...rowFilter }, { projection })) {
    const { uncounted } = row
    const change = changesById.get(row._id)
    const countedAs = change && uncounted?.since === change.since ? change.to : uncounted?.was
    addSums(sums, countedAs ?? currentFields(row, fields), { sumsOf, sign: 1 })
  }
  return sums
}

/** Sums the rows of an owner as they are now, without the stored sums. */
export async function sumCurrentRows(settings: DerivedCountsSettings, owner: string): Promise<Sums> {
  const { rows, ownerField, rowFilter = {}, fields, sumsOf } = settings
  const sums: Record<string, number> = {}
  const projection = Object.fromEntries(fields.map((name) => [name, 1]))
  const filter = { [ownerField]: owner, 'uncounted.gone': { $ne: true }, ...rowFilter }
  for await (const row of rows.find(filter, { projection }))
    addSums(sums, currentFields(row, fields), { sumsOf, sign: 1 })
  return sums
}

const maxAttempts = 5

/** Yields the owners whose sums do not match their rows. */
export async function* findMismatchedOwners(settings: DerivedCountsSettings): AsyncGenerator<string> {
  for await (const { _id } of settings.counts.find({}, { projection: { _id: 1 } })) {
    if (!(await isConsistent(settings, _id))) yield _id
  }
}

async function isConsistent(settings: DerivedCountsSettings, owner: string): Promise<boolean> {
  const found = await recount(settings, owner)
  if (!found) return true
  const { current, sums } = found
  const names = Object.keys({ ...sums, ...current.sums })
  return names.every((name) => (sums[name] ?? 0) === (current.sums[name] ?? 0))
}

/** Replaces the sums of an owner by those of its rows, unless the sums change all the time. */
export async function correctCounts(settings: DerivedCountsSettings, owner: string): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const found = await recount(settings, owner)
    if (!found) return
    const { current, sums } = found
    const next = { ...current, sums, revision: current.revision + 1 }
    const { matchedCount } = await settings.counts.replaceOne({ _id: owner, revision: current.revision }, next)
    if (matchedCount === 1) return
  }
}

/** The stored sums of an owner and those of its rows at that moment; null without stored sums, or if they change all the time. */
async function recount(
  settings: DerivedCountsSettings,
  owner: string,
): Promise<{ current: CountsRow; sums: Sums } | null> {
  const { counts } = settings
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const current = await counts.findOne({ _id: owner })
    if (!current) return null
    const sums = await sumRows(settings, current)
    const after = await counts.findOne({ _id: owner }, { projection: { revision: 1 } })
    if (after?.revision === current.revision) return { current, sums }
  }
  return null
}
