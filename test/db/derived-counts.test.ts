import type { Collection } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDerivedCounts } from '../../src/db/derived-counts.ts'
import type { CountsRow, PendingCount } from '../../src/db/derived-count-rows.ts'
import { stores, type OpenStore } from '../support/stores.ts'

interface Row {
  _id: string
  owner: string
  kind: string
  size: number
  uncounted?: PendingCount
}

interface Parts {
  rows: Collection<Row>
  counts: Collection<CountsRow>
}

const countsOf = (parts: Parts) =>
  createDerivedCounts<Row>({
    ...parts,
    ownerField: 'owner',
    fields: ['kind', 'size'],
    sumsOf: ({ kind, size }) => ({ rows: 1, [kind]: 1, size }),
  })

/** Sums the stored rows directly. */
async function addedUp({ rows }: Parts, owner: string): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  const raise = (name: string, by: number) => (sums[name] = (sums[name] ?? 0) + by)
  for (const { kind, size } of await rows.find({ owner }).toArray()) {
    raise('rows', 1)
    raise(kind, 1)
    if (size > 0) raise('size', size)
  }
  return sums
}

const writes = new Set(['insertOne', 'replaceOne', 'updateOne', 'updateMany', 'bulkWrite', 'deleteOne'])

/** The same collections; each write awaits `beforeWrite` first. */
function gated({ rows, counts }: Parts, beforeWrite: (name: string) => Promise<void>): Parts {
  const through = <T extends object>(collection: T): T =>
    new Proxy(collection, {
      get(target, name: string) {
        const member = Reflect.get(target, name) as unknown
        if (typeof member !== 'function') return member
        const method = member.bind(target) as (...inputs: unknown[]) => unknown
        if (!writes.has(name)) return method
        return async (...inputs: unknown[]) => {
          await beforeWrite(name)
          return method(...inputs)
        }
      },
    })
  return { rows: through(rows), counts: through(counts) }
}

describe.for(stores)('derived counts on the %s store', ([, open]) => {
  let store: OpenStore
  let parts: Parts
  let owners = 0

  beforeAll(async () => {
    store = await open()
    parts = { rows: store.db.collection('rows'), counts: store.db.collection('counts') }
    await parts.rows.createIndex({ 'uncounted.owner': 1 }, { sparse: true })
  })
  afterAll(() => store.close())

  const newOwner = () => `owner${(owners += 1)}`
  const add = (owner: string, id: string, size = 1) =>
    parts.rows.insertOne({ _id: `${owner}:${id}`, owner, kind: 'a', size, ...countsOf(parts).pendingInsert(owner) })
  const change = (owner: string, id: string, set: object) =>
    parts.rows.updateOne({ _id: `${owner}:${id}` }, countsOf(parts).pendingUpdate(set))
  const remove = (owner: string, id: string) =>
    parts.rows.updateOne({ _id: `${owner}:${id}` }, countsOf(parts).pendingRemoval())
  const sums = async (owner: string) => (await countsOf(parts).read([owner])).get(owner)
  const wrong = async () => {
    const found: string[] = []
    for await (const owner of countsOf(parts).findMismatches()) found.push(owner)
    return found
  }

  test('inserted, changed and removed rows are counted', async () => {
    const owner = newOwner()
    expect(await sums(owner)).toEqual({})
    for (const id of ['x', 'y', 'z']) await add(owner, id, 2)
    expect(await sums(owner)).toEqual({ rows: 3, a: 3, size: 6 })
    await change(owner, 'x', { kind: 'b', size: 5 })
    await change(owner, 'x', { size: 7 })
    expect(await sums(owner)).toEqual({ rows: 3, a: 2, b: 1, size: 11 })
    await remove(owner, 'y')
    expect(await sums(owner)).toEqual({ rows: 2, a: 1, b: 1, size: 9 })
    expect(await parts.rows.findOne({ _id: `${owner}:y` })).toBeNull()
    expect(await parts.rows.countDocuments({ owner, uncounted: { $exists: true } })).toBe(0)
  })

  test('rows without pending counts are counted, also if one row has one', async () => {
    const owner = newOwner()
    const rows = Array.from({ length: 20 }, (_, at) => ({ _id: `${owner}:${at}`, owner, kind: 'a', size: at }))
    await parts.rows.insertMany(rows)
    await change(owner, '3', { kind: 'b' })
    expect(await sums(owner)).toEqual({ rows: 20, a: 19, b: 1, size: 190 })
  })

  test('a value that looks like a field path or an expression is stored literally', async () => {
    const owner = newOwner()
    await add(owner, 'x')
    const odd = { text: '$kind', nested: { $add: [1, 2] }, list: ['$$NOW'], when: new Date(0), nothing: null }
    await change(owner, 'x', { ...odd, absent: undefined })
    const row = await parts.rows.findOne({ _id: `${owner}:x` })
    expect(row).toMatchObject(odd)
    expect(row).not.toHaveProperty('absent')
  })

  test('more pending rows than one batch are counted', async () => {
    const owner = newOwner()
    expect(await sums(owner)).toEqual({})
    const { pendingInsert: fresh } = countsOf(parts)
    const rows = Array.from({ length: 1203 }, (_, at) => ({ _id: `${owner}:${at}`, owner, kind: 'a', size: 1 }))
    await parts.rows.insertMany(rows.map((row) => ({ ...row, ...fresh(owner) })))
    expect(await sums(owner)).toEqual({ rows: 1203, a: 1203, size: 1203 })
  })

  test('after a crash before any write, the next reader returns the same sums', async () => {
    let died = 0
    for (let passes = 0; ; passes++) {
      const owner = newOwner()
      await sums(owner)
      for (const id of ['x', 'y', 'z']) await add(owner, id, 2)
      await countsOf(parts).reconcile(owner)
      await change(owner, 'x', { kind: 'b' })
      await remove(owner, 'y')
      let left = passes
      const dying = gated(parts, async () => {
        if (left-- <= 0) throw new Error('killed')
      })
      const outcome = await countsOf(dying)
        .read([owner])
        .then(
          () => 'lived',
          () => 'died',
        )
      // The next reader also counts changes made after the crash.
      await change(owner, 'z', { size: 4 })
      await add(owner, 'w', 8)
      expect(await wrong()).toEqual([])
      expect(await sums(owner)).toEqual({ rows: 3, a: 2, b: 1, size: 14 })
      expect(await addedUp(parts, owner)).toEqual({ rows: 3, a: 2, b: 1, size: 14 })
      if (outcome === 'lived') break
      died += 1
    }
    expect(died).toBeGreaterThanOrEqual(3)
  })

  test('a delayed reader changes nothing', async () => {
    for (const asleep of ['bulkWrite', 'updateOne', 'replaceOne']) {
      const owner = newOwner()
      await sums(owner)
      for (const id of ['x', 'y']) await add(owner, id, 2)
      await countsOf(parts).reconcile(owner)
      await change(owner, 'x', { size: 3 })
      await remove(owner, 'y')
      const [reached, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const sleepy = gated(parts, async (name) => {
        if (name !== asleep) return
        reached.resolve()
        await wake.promise
      })
      const late = countsOf(sleepy).read([owner])
      await reached.promise
      // The values change back, so that the delayed reader finds the state that it has read before.
      for (const size of [2, 3, 2]) {
        await change(owner, 'x', { size })
        await sums(owner)
      }
      await change(owner, 'x', { size: 3 })
      wake.resolve()
      await late
      expect(await sums(owner)).toEqual({ rows: 1, a: 1, size: 3 })
      expect(await wrong()).toEqual([])
    }
  })

  test('a row whose removal is cancelled stays and is counted', async () => {
    const owner = newOwner()
    await sums(owner)
    await add(owner, 'x', 2)
    await countsOf(parts).reconcile(owner)
    await remove(owner, 'x')
    const keep = gated(parts, async (name) => {
      if (name !== 'bulkWrite') return
      await parts.rows.updateOne({ _id: `${owner}:x`, 'uncounted.gone': true }, countsOf(parts).cancelRemoval())
    })
    await countsOf(keep).reconcile(owner)
    expect(await sums(owner)).toEqual({ rows: 1, a: 1, size: 2 })
    expect(await addedUp(parts, owner)).toEqual({ rows: 1, a: 1, size: 2 })
  })

  test('concurrent readers and writers end with correct sums, and each sees its own writes', async () => {
    const owner = newOwner()
    const tellers = [countsOf(parts), countsOf(parts)]
    const worker = async (who: number) => {
      for (let at = 0; at < 12; at++) {
        const id = `${who}-${at}`
        await add(owner, id, 1)
        if (at % 3 === 1) await change(owner, id, { kind: `own${who}` })
        if (at % 4 === 2) await remove(owner, `${who}-${at - 1}`)
        const found = (await tellers[who % 2]?.read([owner]))?.get(owner) ?? {}
        const own = await parts.rows.countDocuments({ owner, kind: `own${who}` })
        expect(found[`own${who}`] ?? 0).toBe(own)
      }
    }
    await Promise.all(Array.from({ length: 6 }, (_, who) => worker(who)))
    expect(await sums(owner)).toEqual(await addedUp(parts, owner))
    expect(await wrong()).toEqual([])
  })

  test('sums that do not match their rows are found', async () => {
    const owner = newOwner()
    await add(owner, 'x')
    await sums(owner)
    await parts.counts.updateOne({ _id: owner }, { $inc: { 'sums.a': 1 } })
    expect(await wrong()).toEqual([owner])
    await countsOf(parts).reset(owner)
    expect(await sums(owner)).toEqual({ rows: 1, a: 1, size: 1 })
    expect(await wrong()).toEqual([])
  })
})
