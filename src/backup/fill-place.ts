import type { Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'
import { ensureIndexes } from '../db/indexes.ts'
import { beginFilling, endFilling, findFilling, installationCollection, type Filling } from '../db/installation.ts'
import { insertDocuments, sumCollection } from '../db/raw-documents.ts'
import type { FileStore } from '../files/store.ts'
import type { Show } from './library.ts'
import { createTally, differences, type Part, type Totals } from './parts.ts'

/** An empty place for a library. */
export interface Place {
  db: Db
  /** Null: files stay where they are. */
  files: FileStore | null
  /** For messages. */
  name: string
}

export interface Filler {
  add(part: Part): Promise<void>
  /** Compares what is stored with what was added, and makes the place one that a server may use. */
  finish(show: Show): Promise<Totals>
  /** Removes everything that was added. */
  abandon(): Promise<void>
}

/**
 * Takes an empty place to fill. A mark in the database keeps servers away until `finish`; where it shows that an earlier filling was
 * interrupted, removes what that has left and begins anew. Throws `StartError` for a place that holds anything.
 */
export async function fillPlace(
  place: Place,
  { filling, schema }: { filling: Filling; schema: number },
): Promise<Filler> {
  if ((await findFilling(place.db)) !== null) await clear(place)
  await requireEmpty(place)
  await beginFilling(place.db, { filling, schema })
  const tally = createTally()
  return {
    async add(part) {
      if (part.kind === 'documents') {
        await insertDocuments(place.db, part.collection, part.documents)
        tally.addDocuments(part)
      } else if (place.files !== null) {
        const { key, bytes: maxBytes, sha256, read } = part
        const stored = await place.files.put(key, read(), { contentType: 'application/octet-stream', maxBytes })
        if (sha256 !== null && stored.sha256 !== sha256) throw new Error(`${key} has changed while it was copied`)
        tally.addFile({ key, ...stored })
      }
    },
    async finish(show) {
      const totals = tally.totals()
      await verify(place, totals, show)
      show('Indexes', null)
      await ensureIndexes(place.db)
      await endFilling(place.db)
      return totals
    },
    abandon: () => clear(place),
  }
}

/** The files first: while the mark is there, all that is here is known to be of no worth. */
async function clear({ db, files }: Place): Promise<void> {
  if (files !== null) for await (const { key } of files.list('')) await files.delete(key)
  await db.dropDatabase()
}

async function requireEmpty({ db, files, name }: Place): Promise<void> {
  const wayOut = 'Name an empty place, or remove what is there if it is not needed.'
  if (await db.listCollections({}, { nameOnly: true }).hasNext())
    throw new StartError(`There is a library in ${name} already. ${wayOut}`)
  if (files === null) return
  for await (const { key } of files.list(''))
    throw new StartError(`There are files for books in ${name} already, such as ${key}. ${wayOut}`)
}

/** Before there are indexes: those that remove what has expired would make a difference. */
async function verify({ db, files }: Place, expected: Totals, show: Show): Promise<void> {
  const names = Object.keys(expected.collections)
  const collections: Totals['collections'] = {}
  for (const [i, name] of names.entries()) {
    show('Check', Math.floor((100 * i) / names.length))
    collections[name] = await sumCollection(db, name)
  }
  const problems = differences({ ...expected, collections: expected.collections }, { ...expected, collections })
  if (files !== null) {
    let [count, bytes] = [0, 0]
    for await (const file of files.list('')) {
      count += 1
      bytes += file.bytes
    }
    if (count !== expected.files.count || bytes !== expected.files.bytes)
      problems.push(
        `the files: ${count} with ${bytes} bytes instead of ${expected.files.count} with ${expected.files.bytes}`,
      )
  }
  const others = (await db.listCollections({}, { nameOnly: true }).toArray()).filter(
    ({ name }) => name !== installationCollection && !names.includes(name) && !name.startsWith('system.'),
  )
  problems.push(...others.map(({ name }) => `the collection ${name}: written by somebody else`))
  if (problems.length > 0)
    throw new StartError(`What was stored is not what was sent: ${problems.join('; ')}. Nothing was kept.`)
}
