import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'

/** What the rows of an owner add up to; what adds up to nothing is left out. */
export type Sums = Readonly<Record<string, number>>

/**
 * What a row carries while the sums of its owner do not know it as it is. The write that changes the row sets it, so that
 * no crash comes between the two.
 */
export interface PendingCount {
  owner: string
  /** Another one with every change. */
  due: string
  /** The counted fields as the sums know them; null: the row is not in the sums. */
  was: CountedFields
  /** Another one whenever `was` is. */
  since: string
  /** The row is to go as soon as the sums are without it. */
  gone?: true
}

type CountedFields = { fields: Document | null }

/** The sums of an owner, and the rows with which they were changed last and which may not know of it yet. */
export interface CountsRow {
  _id: string
  revision: number
  sums: Sums
  moved: CountChange[]
}

interface CountChange extends Pick<PendingCount, 'due' | 'since'> {
  id: string
  /** What the row is counted as now. */
  to: CountedFields
  /** What names that from now on. */
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
  /** The field with the owner of a row. */
  ownerField: string
  /** The rows that are counted, where some are not. */
  rowFilter?: Filter<Row>
  /** The fields that decide what a row adds; none of them may be changed by a write without a mark. */
  fields: readonly string[]
  sumsOf(fields: Document): Sums
}

/** Rows that one change of the sums takes in. */
const batchSize = 500

/** Takes the marked rows of an owner into its sums; those that are to go are gone then. */
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
    // Read after the sums: these are replaced only while nobody else has moved a row since.
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
 * Tells the moved rows that the sums know them, and removes those that are to go. Each write finds only the very mark that
 * was counted, so a late one changes nothing: a row that was changed meanwhile keeps its mark and learns what it is counted as.
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

/** The first sums of an owner, from all rows; null when another call was first. */
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

/** What the rows of an owner are counted as, added up; it changes only when the sums do. */
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

const maxAttempts = 5

/** Owners whose sums are not what their rows say. */
export async function* findMismatchedOwners(settings: DerivedCountsSettings): AsyncGenerator<string> {
  for await (const { _id } of settings.counts.find({}, { projection: { _id: 1 } })) {
    if (!(await isConsistent(settings, _id))) yield _id
  }
}

async function isConsistent({ counts, ...rest }: DerivedCountsSettings, owner: string): Promise<boolean> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const before = await counts.findOne({ _id: owner })
    if (!before) return true
    const found = await sumRows({ counts, ...rest }, before)
    const after = await counts.findOne({ _id: owner }, { projection: { revision: 1 } })
    if (after?.revision !== before.revision) continue
    const names = Object.keys({ ...found, ...before.sums })
    return names.every((name) => (found[name] ?? 0) === (before.sums[name] ?? 0))
  }
  return true
}
