import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFileStore } from '../../../src/files/open-file-store.ts'
import type { FileStore } from '../../../src/files/store.ts'
import { FileStoreError } from '../../../src/files/store.ts'
import { createPictureStore, pictureTag, type PictureName } from '../../../src/imports/pictures/picture-store.ts'
import { createTemporaryFolder } from '../../support/extraction.ts'

const name: PictureName = { itemId: 'book1', storageKey: 'originals/book1/file.pdf', page: 1, width: 600 }
const picture = { mediaType: 'image/png', bytes: Buffer.from('a picture of 24 bytes...') } as const
const day = 24 * 60 * 60_000

async function openStore({ maxBytes = 1_000_000, change = (files: FileStore) => files } = {}) {
  const directory = await createTemporaryFolder()
  const files = await openFileStore({ driver: 'disk', directory, baseUrl: 'http://x', secret: 's'.repeat(32) })
  let at = Date.now()
  const store = createPictureStore({ files: change(files), now: () => new Date(at), maxBytes })
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of files.list('pictures/')) found.push(key)
    return found
  }
  /** Sets the time of every file to this long ago. */
  const age = async (key: string, ms: number) => utimes(join(directory, key), new Date(at - ms), new Date(at - ms))
  return { store, files, keys, age, pass: (ms: number) => void (at += ms) }
}

test('a picture is found under its name, and under no other', async () => {
  const { store } = await openStore()
  expect(await store.find(name)).toBeNull()
  await store.keep(name, picture)
  const found = await store.find(name)
  expect([found?.mediaType, Buffer.from(found?.bytes ?? []).toString()]).toEqual(['image/png', String(picture.bytes)])
  for (const other of [
    { page: 11 },
    { width: 1200 },
    { itemId: 'book2' },
    { storageKey: 'originals/book1/other.pdf' },
  ]) {
    expect(await store.find({ ...name, ...other })).toBeNull()
    expect(pictureTag({ ...name, ...other })).not.toBe(pictureTag(name))
  }
})

test('storing it twice changes nothing', async () => {
  const { store, keys } = await openStore()
  await store.keep(name, picture)
  await store.keep(name, { ...picture, bytes: Buffer.from('another') })
  expect(await keys()).toHaveLength(1)
  expect(Buffer.from((await store.find(name))?.bytes ?? []).equals(picture.bytes)).toBe(true)
})

test('the least recently used pictures are removed if there are too many', async () => {
  const { store, keys, age } = await openStore({ maxBytes: 10 * picture.bytes.length })
  for (let page = 1; page <= 9; page++) await store.keep({ ...name, page }, picture)
  const [oldest = '', second = ''] = (await keys()).slice(3)
  await age(oldest, 6 * day)
  await age(second, 5 * day)
  await store.keep({ ...name, page: 10 }, picture)
  await store.keep({ ...name, page: 11 }, picture)
  await store.trim()
  const left = await keys()
  expect(left).toHaveLength(9)
  expect(left).not.toContain(oldest)
  expect(left).not.toContain(second)
})

test('a process that draws many pictures trims the store itself', async () => {
  const { store, keys } = await openStore({ maxBytes: 10 * picture.bytes.length })
  for (let page = 1; page <= 40; page++) await store.keep({ ...name, page }, picture)
  expect((await keys()).length).toBeLessThanOrEqual(11)
})

test('using an old picture renews it without losing it', async () => {
  const { store, files, keys, age, pass } = await openStore()
  await store.keep(name, picture)
  const [key = ''] = await keys()
  await age(key, 8 * day)
  pass(1000)
  expect(await store.find(name)).not.toBeNull()
  for await (const { modifiedAt } of files.list(key)) expect(Date.now() - modifiedAt.getTime()).toBeLessThan(day)
  expect(await store.find(name)).not.toBeNull()
})

test('without space nothing is stored', async () => {
  const { store, keys } = await openStore({ maxBytes: 0 })
  await store.keep(name, picture)
  expect(await keys()).toEqual([])
})

test('a full disk does not fail the picture', async () => {
  const full = async () => {
    throw new FileStoreError('FULL', 'full')
  }
  const { store } = await openStore({
    change: (files) =>
      new Proxy(files, { get: (target, key) => (key === 'put' ? full : Reflect.get(target, key).bind?.(target)) }),
  })
  await store.keep(name, picture)
  expect(await store.find(name)).toBeNull()
})

test('the pictures of a book are removed together, those of others stay', async () => {
  const { store, keys } = await openStore()
  await store.keep(name, picture)
  await store.keep({ ...name, page: 2 }, picture)
  await store.keep({ ...name, itemId: 'book10' }, picture)
  const books: string[] = []
  for await (const itemId of store.listBooks()) books.push(itemId)
  expect(books).toEqual(['book1', 'book10'])
  await store.removeBook('book1')
  expect(await keys()).toEqual([expect.stringMatching('^pictures/book10/')])
})

test('a page that could not be drawn is remembered, by its name', async () => {
  const { store } = await openStore()
  store.rememberFailure(name, 'TIMED_OUT')
  expect([store.failureOf(name), store.failureOf({ ...name, page: 2 })]).toEqual(['TIMED_OUT', null])
})
