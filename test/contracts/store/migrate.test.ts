import type { Collection, Db } from 'mongodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkInstallation, readSchema } from '../../../src/db/installation.ts'
import { takeLease, type Lease } from '../../../src/db/lease.ts'
import { countPending, migrate, raiseToWritten, type Migrating, type Migration } from '../../../src/db/migrate.ts'
import { stores, type OpenStore } from '../../support/stores.ts'

/** Schema 2 renamed `name` to `title`. `changes` counts how often a word was changed. */
interface Word {
  _id: number
  name?: string
  title?: string
  changes?: number
}
type Words = { words: Collection<Word> }

const rename: Migration<Words> = {
  name: 'rename-titles',
  summary: 'Moves names to titles',
  neededBy: 2,
  count: ({ words }) => words.countDocuments({ name: { $exists: true } }),
  async run({ words }, limit) {
    let changed = 0
    for (const { _id, name } of await words
      .find({ name: { $exists: true } })
      .limit(limit)
      .toArray()) {
      const update = { $set: { title: name as string }, $unset: { name: '' as const }, $inc: { changes: 1 } }
      changed += (await words.updateOne({ _id, name }, update)).modifiedCount
    }
    return changed
  },
}

const leaseMs = 400

/** Returns a database that stops after its nth change: it never answers later commands. */
function dyingDb(db: Db, changes: number): { db: Db; hasDied(): boolean } {
  let left = changes
  const collection = (name: string) =>
    new Proxy(db.collection(name), {
      get(target, method) {
        const value = Reflect.get(target, method, target)
        if (typeof value !== 'function') return value
        if (!/^(insert|update|delete|findOneAnd)/.test(String(method))) return value.bind(target)
        return async (...args: unknown[]) => {
          if (left <= 0) throw new Error('died')
          const result = await value.apply(target, args)
          left -= 1
          if (left <= 0) throw new Error('died')
          return result
        }
      },
    })
  return { db: { collection } as unknown as Db, hasDied: () => left <= 0 }
}

function migratingOf(db: Db, migrations: readonly Migration<Words>[] = [rename]): Migrating<Words> {
  return { db, services: { words: db.collection('words') }, migrations, schema: { known: 2, written: 2 }, leaseMs }
}

describe.for(stores)('migrations on the %s store', { timeout: 60_000 }, ([, open]) => {
  let store: OpenStore
  beforeEach(async () => {
    store = await open()
    await checkInstallation(store.db, { known: 1, written: 1 })
    await addWords(0, 7)
  })
  afterEach(() => store.close())

  const words = () => store.db.collection<Word>('words')
  const addWords = (from: number, count: number) =>
    words().insertMany(Array.from({ length: count }, (_, n) => ({ _id: from + n, name: `w${from + n}` })))
  const everything = async () => ({
    words: await words().find().sort({ _id: 1 }).toArray(),
    installation: await store.db.collection('installation').find().sort({ _id: 1 }).toArray(),
  })
  const moved = (count: number) => Array.from({ length: count }, (_, _id) => ({ _id, title: `w${_id}`, changes: 1 }))

  test('a dry run counts what would be done, and changes nothing', async () => {
    const before = await everything()
    expect(await countPending(migratingOf(store.db))).toEqual([
      { name: 'rename-titles', summary: 'Moves names to titles', pending: 7, isBeforeStart: true },
    ])
    expect(await everything()).toEqual(before)
  })

  test('after a kill at any change, the next process completes the migration, and each document is changed once', async () => {
    for (let n = 1; ; n++) {
      await store.db.dropDatabase()
      await checkInstallation(store.db, { known: 1, written: 1 })
      await addWords(0, 3)
      const dying = dyingDb(store.db, n)
      const outcome = await raiseToWritten(migratingOf(dying.db)).catch(String)
      if (!dying.hasDied()) {
        expect(n).toBeGreaterThan(6)
        return
      }
      expect(outcome, `killed after ${n}`).toBe('Error: died')
      if ((await readSchema(store.db)) === 2) expect(await words().countDocuments({ name: { $exists: true } })).toBe(0)
      await raiseToWritten(migratingOf(store.db))
      expect((await everything()).words, `killed after ${n}`).toEqual(moved(3))
      expect(await readSchema(store.db)).toBe(2)
    }
  })

  test('processes that start together wait for the one that migrates', async () => {
    const told: number[] = []
    const start = () => raiseToWritten({ ...migratingOf(store.db), onSlice: (_, changed) => void told.push(changed) })
    await Promise.all([start(), start(), start()])
    expect(told).toEqual([7])
    expect(await everything()).toEqual({ words: moved(7), installation: [{ _id: 'library', schema: 2 }] })
  })

  test('a library is not raised while it has documents that the new version cannot read', async () => {
    const stubborn = { ...rename, run: async () => 0 }
    await expect(raiseToWritten(migratingOf(store.db, [stubborn]))).rejects.toThrow(
      /^The migration rename-titles cannot change some of the documents/,
    )
    expect(await readSchema(store.db)).toBe(1)
  })

  test('a process that loses its lease while it migrates, because it was silent for too long, begins again', async () => {
    let runs = 0
    const interrupted: Migration<Words> = {
      ...rename,
      async run(services, limit) {
        if (runs++ > 0) return rename.run(services, limit)
        await store.db.collection<{ _id: string }>('installation').deleteOne({ _id: 'migrations' })
        await new Promise((resolve) => setTimeout(resolve, leaseMs))
        return 0
      },
    }
    await raiseToWritten(migratingOf(store.db, [interrupted]))
    expect(runs).toBeGreaterThan(1)
    expect(await everything()).toEqual({ words: moved(7), installation: [{ _id: 'library', schema: 2 }] })
  })

  test('the next run migrates what an older process writes concurrently', async () => {
    const background = { ...rename, neededBy: undefined } as unknown as Migration<Words>
    const migrating = migratingOf(store.db, [background])
    const lease = await takeLease(store.db, 'migrations', leaseMs)
    expect(await migrate(migrating)).toBe(false)
    expect((await everything()).words[0]).toEqual({ _id: 0, name: 'w0' })
    await lease?.release()
    expect(await migrate(migrating)).toBe(true)
    await addWords(7, 250)
    expect(await migrate(migrating)).toBe(true)
    expect((await everything()).words).toEqual(moved(257))
  })

  test('a run that is aborted ends between two batches', async () => {
    await addWords(7, 250)
    const ending = new AbortController()
    const told: number[] = []
    const onSlice = (_: unknown, changed: number) => {
      told.push(changed)
      ending.abort()
    }
    expect(await migrate({ ...migratingOf(store.db), onSlice, signal: ending.signal })).toBe(false)
    expect(told).toEqual([100])
  })

  test('one process holds a lease as long as it renews it', async () => {
    const first = await takeLease(store.db, 'x', leaseMs)
    const attempts = await Promise.all([1, 2, 3].map(() => takeLease(store.db, 'x', leaseMs)))
    expect(attempts).toEqual([null, null, null])
    await new Promise((resolve) => setTimeout(resolve, 2 * leaseMs))
    expect(await takeLease(store.db, 'x', leaseMs)).toBe(null)
    // As after the process was paused for longer than the lease. Repeated if the lease was renewed in between.
    const rows = store.db.collection<{ _id: string }>('installation')
    let second: Lease | null = null
    while (second === null) {
      await rows.updateOne({ _id: 'x' }, { $set: { until: new Date(0) } })
      second = await takeLease(store.db, 'x', leaseMs)
    }
    expect([await first?.renew(), first?.isLost()]).toEqual([false, true])
    await first?.release()
    expect(await second.renew()).toBe(true)
    await second.release()
    expect(await takeLease(store.db, 'x', leaseMs).then((third) => third?.release())).toBe(undefined)
  })
})
