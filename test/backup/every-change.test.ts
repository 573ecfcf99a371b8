import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from 'mongodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Place } from '../../src/backup/fill-place.ts'
import { openArchive, restoreArchive } from '../../src/backup/restore.ts'
import { checkInstallation, schemaVersions } from '../../src/db/installation.ts'
import { sumCollection } from '../../src/db/raw-documents.ts'
import { openFileStore } from '../../src/files/open-file-store.ts'
import type { FileStore } from '../../src/files/store.ts'
import { makeSmallLibrary, placeEnvironment, runOn, usePlaces } from '../support/backup-places.ts'
import { openEmbedded, type OpenStore } from '../support/stores.ts'

const places = usePlaces()
let store: OpenStore
let directory = ''
let archive = ''
let whole: { collections: Record<string, unknown>; files: { count: number; bytes: number } }

beforeAll(async () => {
  store = await openEmbedded()
  directory = await mkdtemp(join(tmpdir(), 'lectern-changes-'))
  const source = places.path('source')
  // The largest book has more pages than fit into one part of an archive. More pages would only repeat the same change.
  await makeSmallLibrary(source, { largestBytes: 1_500_000 })
  archive = places.path('archive')
  whole = await runOn(placeEnvironment(source), 'backup', '--to', archive)
}, 60_000)
afterAll(async () => {
  await store.close()
  await rm(directory, { recursive: true, force: true })
})

/**
 * The number of operations that a process may make before it dies. After that every operation fails, including cleanup.
 */
interface Life {
  left: number
}

const changing = /^(?:insert|update|delete|findOneAnd|createIndex|dropDatabase|command|put$)/

/** Counts changes down. The last one is made; after it, every call fails. */
function mortal<T extends object>(target: T, life: Life): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (life.left <= 0) throw new Error('dead')
        const result: unknown = value.apply(target, args)
        if (name === 'collection') return mortal(result as object, life)
        if (!changing.test(String(name))) return result
        return Promise.resolve(result).then((answer) => {
          life.left -= 1
          if (life.left <= 0) throw new Error('dead')
          return answer
        })
      }
    },
  })
}

const restore = async (place: Place) =>
  restoreArchive(await openArchive(archive, () => {}), place, { show: () => {}, keepSecret: async () => {} })

async function filesIn(files: FileStore): Promise<{ count: number; bytes: number }> {
  let [count, bytes] = [0, 0]
  for await (const file of files.list('')) [count, bytes] = [count + 1, bytes + file.bytes]
  return { count, bytes }
}

/** Ends the lease at once. The next restore would otherwise wait 20 seconds for it. */
const letLeaseEnd = (db: Db) =>
  db.collection<{ _id: string }>('installation').updateOne({ _id: 'filling' }, { $set: { until: new Date(0) } })

test(
  'a place whose restore died after any change is refused as a library, and can be restored again',
  { timeout: 300_000 },
  async () => {
    for (let changes = 1; ; changes++) {
      const db = store.client.db(`change_${changes}`)
      const folder = join(directory, String(changes))
      const files = await openFileStore({ driver: 'disk', directory: folder, baseUrl: 'http://localhost', secret: '' })
      const place = { db, files, name: folder }
      const life = { left: changes }
      const died = await restore({ ...place, db: mortal(db, life), files: mortal(files, life) }).then(
        () => false,
        (error: Error) => error.message.includes('dead') || Promise.reject(error),
      )
      const marked = await db.collection<{ _id: string }>('installation').findOne({ _id: 'library' })
      if (died && (marked === null || 'filling' in marked)) {
        if (marked) await expect(checkInstallation(db, schemaVersions)).rejects.toThrow('was interrupted')
        await letLeaseEnd(db)
        await restore(place)
      }
      await checkInstallation(db, schemaVersions)
      for (const [name, sum] of Object.entries(whole.collections))
        expect(await sumCollection(db, name), `${name} after ${changes}`).toEqual(sum)
      expect(await filesIn(files), `after ${changes}`).toEqual({ count: whole.files.count, bytes: whole.files.bytes })
      await files.close()
      await db.dropDatabase()
      if (died) continue
      expect(changes).toBeGreaterThan(50)
      return
    }
  },
)
