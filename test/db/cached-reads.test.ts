import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/db/connect.ts'
import { cachedRead, cachedRows } from '../../src/db/cached-reads.ts'

interface Row {
  _id: string
  owner: string
  tags: string[]
}

let directory: string
/** The connection of the process that runs the store, and that of another process. */
let [own, other]: Database[] = []
let loads: string[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-cached-reads-'))
  own = await openDatabase({ url: undefined, directory })
  other = await openDatabase({ url: undefined, directory })
})

afterAll(async () => {
  await other?.close()
  await own?.close()
  await rm(directory, { recursive: true, force: true })
})

beforeEach(async () => {
  loads = []
  await rowsOf(own).deleteMany({})
  await rowsOf(own).insertMany([
    { _id: 'a', owner: 'x', tags: ['t'] },
    { _id: 'b', owner: 'x', tags: [] },
  ])
})

const rowsOf = (database: Database | undefined) => (database as Database).db.collection<Row>('rows')

const listOf = (database: Database | undefined) =>
  cachedRead((database as Database).db, ['rows'], async (owner) => {
    loads.push(owner)
    return rowsOf(database).find({ owner }).toArray()
  })

const findOf = (database: Database | undefined) =>
  cachedRows((database as Database).db, 'rows', async (ids) => {
    loads.push(ids.join())
    return rowsOf(database)
      .find({ _id: { $in: [...ids] } })
      .toArray()
  })

const idsOf = (rows: readonly Row[]) => rows.map(({ _id }) => _id).sort()

test('unchanged data is read once', async () => {
  const list = listOf(own)
  const first = await list('x')
  expect(idsOf(first)).toEqual(['a', 'b'])
  expect(await list('x')).toBe(first)
  await list('y')
  expect(loads).toEqual(['x', 'y'])
})

test('a change is seen by the next call, whichever process made it', async () => {
  const list = listOf(own)
  await list('x')
  await rowsOf(other).deleteOne({ _id: 'a' })
  expect(idsOf(await list('x'))).toEqual(['b'])
  await rowsOf(own).updateOne({ _id: 'b' }, { $set: { owner: 'y' } })
  expect(await list('x')).toEqual([])
})

test('a change while it is read is not missed', async () => {
  let meanwhile: (() => Promise<unknown>) | null = () => rowsOf(other).deleteOne({ _id: 'a' })
  const list = cachedRead((own as Database).db, ['rows'], async (owner) => {
    const rows = await rowsOf(own).find({ owner }).toArray()
    await meanwhile?.()
    meanwhile = null
    return rows
  })
  expect(idsOf(await list('x'))).toEqual(['a', 'b'])
  expect(idsOf(await list('x'))).toEqual(['b'])
})

test('changed documents are reloaded individually, and missing ones are cached too', async () => {
  const find = findOf(own)
  expect(idsOf(await find(['a', 'b', 'c']))).toEqual(['a', 'b'])
  expect(idsOf(await find(['a', 'b', 'c']))).toEqual(['a', 'b'])
  await rowsOf(other).updateOne({ _id: 'b' }, { $set: { tags: ['new'] } })
  const rows = await find(['a', 'b', 'c'])
  expect(rows.find(({ _id }) => _id === 'b')?.tags).toEqual(['new'])
  await rowsOf(other).insertOne({ _id: 'c', owner: 'z', tags: [] })
  expect(idsOf(await find(['a', 'b', 'c']))).toEqual(['a', 'b', 'c'])
  expect(loads).toEqual(['a,b,c', 'b', 'c'])
})

test('a process that is not notified of changes reads each time', async () => {
  const [list, find] = [listOf(other), findOf(other)]
  await list('x')
  await list('x')
  await find(['a'])
  await find(['a'])
  expect(loads).toEqual(['x', 'x', 'a', 'a'])
})

test('callers cannot change shared results', async () => {
  const rows = await listOf(own)('x')
  expect(() => rows.push({ _id: 'd', owner: 'x', tags: [] })).toThrow(TypeError)
  expect(() => rows[0]?.tags.push('more')).toThrow(TypeError)
  const [row] = await findOf(own)(['a'])
  expect(() => row?.tags.push('more')).toThrow(TypeError)
})

test('a failed read is not cached', async () => {
  let fails = true
  const read = cachedRead((own as Database).db, ['rows'], async (owner) => {
    if (fails) throw new Error('no answer')
    return { owner }
  })
  await expect(read('x')).rejects.toThrow('no answer')
  fails = false
  expect(await read('x')).toEqual({ owner: 'x' })
})
