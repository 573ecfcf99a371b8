import { describe, expect, test, vi } from 'vitest'
import { FileStoreError } from '../../../src/files/store.ts'
import { sweep } from '../../../src/maintenance/sweep.ts'
import { createLog } from '../../../src/app/log.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { makeShelf } from '../../support/shelves.ts'
import { smallBooks } from '../../support/small-books.ts'
import {
  callOverRest,
  confirmUpload,
  importFile,
  waitForJobEnd,
  findListedItem,
  sendFile,
} from '../../support/uploads.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', itemLimit: 2 }))

const slotsOf = async ({ id }: Person) => (await server.running.opened.services.accounts.byId(id))?.slots

/** Creates an account with a book and an uploaded file that is to replace it. */
async function scene() {
  const person = await server.createPerson({ plan: 'TINY' })
  const old = await importFile(server, person, { filename: 'old.pdf', bytes: await smallBooks.pdf() })
  const upload = await sendFile(server, person, { filename: 'new.epub', bytes: await smallBooks.epub() })
  const oldKey = old.storageKey.replace('incoming', 'originals')
  return {
    person,
    old,
    oldKey,
    upload,
    replace: () => confirmUpload(server, person, { ...upload, replacesItemId: old.itemId }),
  }
}

describe('an upload that replaces a book', () => {
  test('removes the old one with text, original and slot, and imports the new one', async () => {
    const { person, old, oldKey, upload, replace } = await scene()
    expect(await slotsOf(person)).toBe(2)
    const { status, body } = await replace()
    expect(status).toBe(200)
    expect(body.replacedItemId).toBe(old.itemId)
    expect(await findListedItem(server, person, old.itemId)).toBeUndefined()
    expect(await server.running.opened.services.files.head(oldKey)).toBeNull()
    expect(await server.running.opened.services.contents.listVersions(old.itemId)).toEqual([])
    expect(await slotsOf(person)).toBe(1)
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await findListedItem(server, person, upload.itemId)).toMatchObject({ status: 'READY', pageCount: 2 })
  })

  test('puts the new one on the shelves of the old one', async () => {
    const { person, old, upload, replace } = await scene()
    for (const name of ['Sea', 'Land', 'Air']) await makeShelf(server, person, name)
    for (const shelf of ['sea', 'air']) {
      await callOverRest(server, person, 'add_to_shelf', { shelf, itemIds: [old.itemId] })
    }
    await replace()
    const { body } = await callOverRest(server, person, 'list_items')
    expect(body.items).toMatchObject([{ id: upload.itemId, shelves: [{ slug: 'sea' }, { slug: 'air' }] }])
    expect(await server.running.opened.services.placements.list(person.id, { itemIds: [old.itemId] })).toEqual([])
  })

  test('null means no replacement', async () => {
    const { person, old, upload } = await scene()
    const { body } = await confirmUpload(server, person, { ...upload, replacesItemId: null as unknown as string })
    expect(body.replacedItemId).toBeNull()
    expect(await findListedItem(server, person, old.itemId)).toBeDefined()
  })

  test('still imports if the file of the old one cannot be removed; the sweep removes it later', async () => {
    const { person, oldKey, upload, replace } = await scene()
    const { services } = server.running.opened
    const broken = vi.spyOn(services.files, 'delete')
    broken.mockRejectedValue(new FileStoreError('UNAVAILABLE', 'the disk fails'))
    // The first deletion succeeds: it is part of moving the new file.
    broken.mockResolvedValueOnce()
    const { status, body } = await replace().finally(() => broken.mockRestore())
    expect(status).toBe(200)
    expect(body.replacedItemId).toBeNull()
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await findListedItem(server, person, upload.itemId)).toMatchObject({ status: 'READY' })
    expect(await services.files.head(oldKey)).not.toBeNull()
    const later = new Date(Date.now() + 10 * 60_000)
    await sweep({ ...services, now: () => later, log: createLog('silent') })
    expect(await services.files.head(oldKey)).toBeNull()
    expect(await slotsOf(person)).toBe(1)
  })

  test('still imports if the database refuses to remove the old one', async () => {
    const { person, old, replace } = await scene()
    const { services } = server.running.opened
    const broken = vi.spyOn(services.accounts, 'markSlotsReleasing').mockRejectedValue(new Error('the store fails'))
    const { status, body } = await replace().finally(() => broken.mockRestore())
    expect(status).toBe(200)
    expect(body.replacedItemId).toBeNull()
    expect(await findListedItem(server, person, old.itemId)).toBeDefined()
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await slotsOf(person)).toBe(2)
  })
})
