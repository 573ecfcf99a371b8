import { randomBytes } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedStore } from '../../src/db/embedded/start.ts'
import { databaseNameOf } from '../../src/db/connect.ts'
import { findingsIn, makeSmallLibrary, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { runLectern } from '../support/run-lectern.ts'

const places = usePlaces()
let url = ''
let close = async () => {}
let [source, again] = ['', '']

beforeAll(async () => {
  const external = process.env['LECTERN_TEST_MONGODB_URL']
  if (external === undefined) {
    // A second embedded store is used in place of a MongoDB. The commands reach it only by its URL.
    const store = await startEmbeddedStore({ directory: places.path('database') })
    url = store.url
    close = store.stop
  } else {
    const parsed = new URL(external.replace(/^mongodb:/, 'http:'))
    parsed.pathname = `/copy_${randomBytes(6).toString('hex')}`
    url = parsed.href.replace(/^http:/, 'mongodb:')
    close = async () => {
      const client = await new MongoClient(url).connect()
      await client.db(databaseNameOf(url)).dropDatabase()
      await client.close()
    }
  }
  source = places.path('source')
  again = places.path('again')
  await makeSmallLibrary(source)
}, 60_000)
afterAll(() => close())

test('a copy to a database that does not answer names the option', async () => {
  const run = await runLectern(['copy', '--to', 'mongodb://127.0.0.1:9/x'], placeEnvironment(source))
  expect(run).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/at 127\.0\.0\.1:9 does not answer \(.*\)\. Start it, or correct --to\.\n$/),
  })
})

test(
  'after a copy from the embedded store to a database and back, every collection and file has the same hash',
  { timeout: 120_000 },
  async () => {
    const files = places.path('files')
    const there = await runOn(placeEnvironment(source), 'copy', '--to', url, '--files', files)
    expect(there).toMatchObject({ missing: [], erased: [] })
    expect(there.files.count).toBe(2)
    expect(Object.keys(there.collections)).toEqual(expect.arrayContaining(['accounts', 'books', 'contents', 'keys']))

    const refused = await runLectern(['copy', '--to', url], placeEnvironment(source))
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/There is a library in the database .* already/),
    })

    // A server with a store of files on disk has them in its data directory.
    const onDatabase = placeEnvironment(join(files, '..', 'on-database'), { LECTERN_MONGODB_URL: url })
    const withFiles = { ...onDatabase, LECTERN_DATA_DIR: join(files, '..', 'data') }
    await mkdir(withFiles.LECTERN_DATA_DIR, { recursive: true, mode: 0o700 })
    await rename(files, join(withFiles.LECTERN_DATA_DIR, 'files'))
    const back = await runOn(withFiles, 'copy', '--to', again)
    expect(back.files).toEqual(there.files)
    expect(back.collections).toEqual(there.collections)
    expect(await findingsIn(withFiles)).toEqual([])
    expect(await findingsIn(placeEnvironment(again))).toEqual([])
  },
)
