import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from 'mongodb'
import { StartError } from '../core/start-error.ts'
import { ensureIndexes } from '../db/indexes.ts'
import {
  beginFilling,
  endFilling,
  findFilling,
  hasInstallation,
  installationCollection,
  type Filling,
} from '../db/installation.ts'
import { leaseEnd, takeLease, type Lease } from '../db/lease.ts'
import { insertDocuments, sumCollection } from '../db/raw-documents.ts'
import type { FileStore } from '../files/store.ts'
import type { Show } from './library.ts'
import { createTally, differences, type Part, type Totals } from './parts.ts'

/** An empty place for a library. */
export interface Place {
  db: Db
  /** Null: files are not copied. */
  files: FileStore | null
  /** Display name for messages. */
  name: string
}

export interface Filler {
  add(part: Part): Promise<void>
  /** Compares the stored data with what was added, then allows servers to use the place. */
  finish(show: Show): Promise<Totals>
  /** Removes everything that was added. */
  abandon(): Promise<void>
}

interface FillOptions {
  filling: Filling
  schema: number
  show: Show
  /** A process that is silent for this long is considered dead, ms. */
  leaseMs?: number
}

const leaseId = 'filling'
const defaultLeaseMs = 20_000

/**
 * Acquires an empty place for filling. A mark in the database keeps servers away until `finish`. If it shows that an
 * earlier filling was interrupted, removes the leftovers and starts again. Throws `StartError` for a place that
 * contains anything, and for one that another process fills.
 */
export async function fillPlace(
  place: Place,
  { filling, schema, show, leaseMs = defaultLeaseMs }: FillOptions,
): Promise<Filler> {
  await requireEmptyOrMarked(place)
  const lease = await leaseEmptied(place, { show, leaseMs })
  try {
    await requireEmptyOrMarked(place)
    if (!(await beginFilling(place.db, { filling, schema }))) throw notEmptyError(place.name)
  } catch (error) {
    await lease.release()
    throw error
  }
  return createFiller(place, lease)
}

/** Acquires a place after removing the leftovers of an interrupted filling. */
async function leaseEmptied(place: Place, options: { show: Show; leaseMs: number }): Promise<Lease> {
  const lease = await takePlace(place, options)
  if ((await findFilling(place.db)) === null) return lease
  await clear(place)
  await lease.release()
  // The lease was removed with the rest.
  const again = await takeLease(place.db, leaseId, options.leaseMs)
  if (again === null) throw busyError(place.name)
  return again
}

/** Waits to find out whether the process that holds a place has died. */
async function takePlace({ db, name }: Place, { show, leaseMs }: { show: Show; leaseMs: number }): Promise<Lease> {
  const end = await leaseEnd(db, leaseId)
  for (;;) {
    const lease = await takeLease(db, leaseId, leaseMs)
    if (lease !== null) return lease
    const later = await leaseEnd(db, leaseId)
    if (later !== null && (end === null || later > end)) throw busyError(name)
    show('Wait for an earlier restore or copy to end', null)
    await delay(Math.min(500, leaseMs / 6))
  }
}

function createFiller(place: Place, lease: Lease): Filler {
  const tally = createTally()
  return {
    async add(part) {
      if (lease.isLost()) throw lostError(place.name)
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
      if (!(await lease.renew())) throw lostError(place.name)
      await endFilling(place.db)
      await lease.release()
      return totals
    },
    async abandon() {
      // The next holder needs the data in the place.
      if (lease.isLost() || !(await lease.renew())) return
      await clear(place)
      await lease.release()
    },
  }
}

function busyError(name: string): StartError {
  return new StartError(
    `Another restore or copy into ${name} is running. Wait until it has ended, or name another place.`,
  )
}

function lostError(name: string): StartError {
  return new StartError(
    `Another restore or copy has taken over ${name}, because this one did not renew its lease in time. Wait until the other one has ended, and check its result.`,
  )
}

function notEmptyError(name: string): StartError {
  return new StartError(`There is a library in ${name} already. ${remedy}`)
}

const remedy = 'Name an empty place, or remove what is there if it is not needed.'

/** Removes the files first: as long as the mark exists, everything in the place is known to be disposable. */
async function clear({ db, files }: Place): Promise<void> {
  if (files !== null) for await (const { key } of files.list('')) await files.delete(key)
  await db.dropDatabase()
}

/** The collections without that of the mark and the lease. */
async function collectionsOf(db: Db): Promise<string[]> {
  const all = await db.listCollections({}, { nameOnly: true }).toArray()
  return all.map(({ name }) => name).filter((name) => name !== installationCollection && !name.startsWith('system.'))
}

async function requireEmptyOrMarked({ db, files, name }: Place): Promise<void> {
  if ((await findFilling(db)) !== null) return
  if ((await hasInstallation(db)) || (await collectionsOf(db)).length > 0) throw notEmptyError(name)
  if (files === null) return
  for await (const { key } of files.list(''))
    throw new StartError(`There are files for books in ${name} already, such as ${key}. ${remedy}`)
}

/** Verifies before indexes exist, because TTL indexes would delete expired rows. */
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
  const others = (await collectionsOf(db)).filter((name) => !names.includes(name))
  problems.push(...others.map((name) => `the collection ${name}: written by another program`))
  if (problems.length > 0)
    throw new StartError(
      `The stored data differs from the source: ${problems.join('; ')}. Everything was removed again.`,
    )
}
