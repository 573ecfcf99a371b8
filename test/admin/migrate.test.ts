import { expect, test } from 'vitest'
import { checkInstallation, schemaVersions } from '../../src/db/installation.ts'
import { openDatabase } from '../../src/db/connect.ts'
import { makeSmallLibrary, findingsIn, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { runLectern } from '../support/run-lectern.ts'

const places = usePlaces()

async function withDb<T>(directory: string, use: (db: Awaited<ReturnType<typeof openDatabase>>['db']) => Promise<T>) {
  const { db, close } = await openDatabase({ url: undefined, directory })
  try {
    return await use(db)
  } finally {
    await close()
  }
}

/** Returns all documents of all collections, except counters of reads. */
const everything = (directory: string) =>
  withDb(directory, async (db) => {
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort()
    return Promise.all(names.map(async (name) => [name, await db.collection(name).find().sort({ _id: 1 }).toArray()]))
  })

test(
  'a dry run reports what older versions have left and changes nothing; a run migrates it',
  { timeout: 60_000 },
  async () => {
    const directory = places.path('older')
    const place = placeEnvironment(directory)
    await makeSmallLibrary(directory)
    // As a version stored it that did not count bytes.
    const bytes = await withDb(directory, async (db) => {
      const counted = await db.collection('books').find().sort({ _id: 1 }).project({ storedBytes: 1 }).toArray()
      await db.collection('books').updateMany({}, { $unset: { storedBytes: '' } })
      await db.collection('bookTallies').deleteMany({})
      return counted
    })
    expect(bytes).toHaveLength(7)
    const before = await everything(directory)
    const dry = await runOn(place, 'migrate', '--dry-run')
    expect(dry).toEqual({
      dryRun: true,
      schema: { stored: 1, ...schemaVersions },
      migrations: [
        expect.objectContaining({ name: 'hash-client-secrets', pending: 0, isBeforeStart: false }),
        expect.objectContaining({ name: 'count-stored-bytes', pending: 7, isBeforeStart: false }),
      ],
    })
    expect(await everything(directory)).toEqual(before)
    const { stderr } = await runLectern(['migrate', '--dry-run'], place)
    expect(stderr).toMatch(/The schema stays 1: you can go back to the previous version\.\nNothing was changed\./)

    const done = await runLectern(['migrate'], place)
    expect(done).toMatchObject({
      code: 0,
      stdout: 'hash-client-secrets\t0\t0\ncount-stored-bytes\t7\t0\n',
      stderr: expect.stringMatching(/^Nothing is left\.$/m),
    })
    const counted = await withDb(directory, (db) =>
      db.collection('books').find().sort({ _id: 1 }).project({ storedBytes: 1 }).toArray(),
    )
    expect(counted).toEqual(bytes)
    expect(await findingsIn(place)).toEqual([])
  },
)

test('a dry run refuses a library of a newer schema, too', async () => {
  const directory = places.path('newer')
  const { known } = schemaVersions
  await withDb(directory, (db) => checkInstallation(db, { known: known + 1, written: known + 1 }))
  const refused = await runLectern(['migrate', '--dry-run', '--json'], placeEnvironment(directory))
  expect(refused).toMatchObject({ code: 1, json: { error: expect.stringMatching(/^A newer version of Lectern has/) } })
})
