import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'

/** What the rows of an owner add up to; what adds up to nothing is left out. */
export type Sums = Readonly<Record<string, number>>

/**
 * What a row carries while the sums of its owner do not know it as it is. The write that changes the row sets it, so that
 * no crash comes between the two.
 */
export interface Uncounted {
  owner: string
  /** Another one with every change. */
  due: string
  /** The counted fields as the sums know them; null: the row is not in the sums. */
  was: Counted
  /** Another one whenever `was` is. */
  since: string
  /** The row is to go as soon as the sums are without it. */
  gone?: true
}

type Counted = { fields: Document | null }

/** The sums of an owner, and the rows with which they were changed last and which may not know of it yet. */
export interface TallyRow {
  _id: string
  revision: number
  sums: Sums
  moved: Move[]
}

interface Move extends Pick<Uncounted, 'due' | 'since'> {
  id: string
  /** What the row is counted as now. */
  to: Counted
  /** What names that from now on. */
  hence: string
  gone: boolean
}

export interface CountedRow {
  _id: string
  uncounted?: Uncounted
}

export interface TallySettings<Row extends CountedRow = CountedRow> {
  rows: Collection<Row>
  tallies: Collection<TallyRow>
  /** The field with the owner of a row. */
  owner: string
  /** The rows that are counted, where some are not. */
  only?: Filter<Row>
  /** The fields that decide what a row adds; none of them may be changed by a write without a mark. */
  fields: readonly string[]
  sumsOf(fields: Document): Sums
}

/** Rows that one change of the sums takes in. */
const atOnce = 500

/** Takes the marked rows of an owner into its sums; those that are to go are gone then. */
export async function settleTally(settings: TallySettings, owner: string): Promise<void> {
  const { rows, tallies, fields, sumsOf } = settings
  const projection = Object.fromEntries(['uncounted', ...fields].map((name) => [name, 1]))
  for (;;) {
    const tally = (await tallies.findOne({ _id: owner })) ?? (await begin(settings, owner))
    if (!tally) continue
    if (tally.moved.length > 0) {
      await finish(settings, tally)
      continue
    }
    // Read after the sums: these are replaced only while nobody else has moved a row since.
    const dirty = await rows.find({ 'uncounted.owner': owner }, { projection }).limit(atOnce).toArray()
    const moved = dirty.flatMap((row) => (row.uncounted ? [moveOf(row, row.uncounted, fields)] : []))
    if (moved.length === 0) return
    const sums = { ...tally.sums } as Record<string, number>
    for (const [at, { to }] of moved.entries()) {
      add(sums, to, { sumsOf, sign: 1 })
      add(sums, dirty[at]?.uncounted?.was, { sumsOf, sign: -1 })
    }
    const next = { _id: owner, revision: tally.revision + 1, sums, moved }
    const { matchedCount } = await tallies.replaceOne({ _id: owner, revision: tally.revision }, next)
    if (matchedCount === 0) continue
    await finish(settings, next)
    if (moved.length < atOnce) return
  }
}

function moveOf(row: CountedRow & Document, { due, since, gone }: Uncounted, fields: readonly string[]): Move {
  const to = gone ? { fields: null } : countedNow(row, fields)
  return { id: row._id, due, since, to, hence: newId(), gone: gone === true }
}

function countedNow(row: Document, fields: readonly string[]): Counted {
  return { fields: Object.fromEntries(fields.map((name) => [name, row[name] ?? null])) }
}

function add(
  sums: Record<string, number>,
  counted: Counted | undefined,
  { sumsOf, sign }: Pick<TallySettings, 'sumsOf'> & { sign: 1 | -1 },
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
async function finish({ rows, tallies }: TallySettings, { _id, revision, moved }: TallyRow): Promise<void> {
  const operations = moved.flatMap(({ id, due, since, to, hence, gone }): AnyBulkWriteOperation<CountedRow>[] => {
    const filter = { _id: id, 'uncounted.due': due }
    const known = { 'uncounted.was': to, 'uncounted.since': hence }
    return [
      gone ? { deleteOne: { filter } } : { updateOne: { filter, update: { $unset: { uncounted: '' } } } },
      { updateOne: { filter: { _id: id, 'uncounted.since': since }, update: { $set: known } } },
    ]
  })
  await rows.bulkWrite(operations)
  await tallies.updateOne({ _id, revision }, { $set: { moved: [] } })
}

/** The first sums of an owner, from all rows; null when another call was first. */
async function begin(settings: TallySettings, owner: string): Promise<TallyRow | null> {
  const made = { _id: owner, revision: 1, sums: await addUp(settings, { _id: owner, moved: [] }), moved: [] }
  try {
    await settings.tallies.insertOne(made)
    return made
  } catch (error) {
    if (isDuplicateKey(error)) return null
    throw error
  }
}

/** What the rows of an owner are counted as, added up; it changes only when the sums do. */
async function addUp(
  { rows, owner, only = {}, fields, sumsOf }: TallySettings,
  { _id, moved }: Pick<TallyRow, '_id' | 'moved'>,
): Promise<Sums> {
  const moves = new Map(moved.map((move) => [move.id, move]))
  const sums: Record<string, number> = {}
  const projection = Object.fromEntries(['uncounted', ...fields].map((name) => [name, 1]))
  for await (const row of rows.find({ [owner]: _id, ...only }, { projection })) {
    const { uncounted } = row
    const move = moves.get(row._id)
    const known = move && uncounted?.since === move.since ? move.to : uncounted?.was
    add(sums, known ?? countedNow(row, fields), { sumsOf, sign: 1 })
  }
  return sums
}

const attempts = 5

/** Owners whose sums are not what their rows say. */
export async function* wrongTallies(settings: TallySettings): AsyncGenerator<string> {
  for await (const { _id } of settings.tallies.find({}, { projection: { _id: 1 } })) {
    if (!(await isRight(settings, _id))) yield _id
  }
}

async function isRight({ tallies, ...rest }: TallySettings, owner: string): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = await tallies.findOne({ _id: owner })
    if (!before) return true
    const found = await addUp({ tallies, ...rest }, before)
    const after = await tallies.findOne({ _id: owner }, { projection: { revision: 1 } })
    if (after?.revision !== before.revision) continue
    const names = Object.keys({ ...found, ...before.sums })
    return names.every((name) => (found[name] ?? 0) === (before.sums[name] ?? 0))
  }
  return true
}
