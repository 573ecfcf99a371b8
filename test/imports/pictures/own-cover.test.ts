import { PNG } from 'pngjs'
import { beforeAll, expect, test } from 'vitest'
import { keepOwnCover } from '../../../src/imports/pictures/own-cover.ts'
import { collect } from '../../support/collect.ts'
import { contextOf } from '../../support/context.ts'
import { testJpeg } from '../../support/drawing.ts'
import { makeBook } from '../../support/make-book.ts'
import { pictureReader, type PictureReader } from '../../support/picture-client.ts'
import { rest } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let owner: PictureReader

beforeAll(async () => {
  owner = await pictureReader(server)
})

/** A picture in one colour. An `alpha` of 0 is transparent. */
function png(width: number, height: number, [red, green, blue, alpha]: readonly [number, number, number, number]) {
  const picture = new PNG({ width, height })
  for (let at = 0; at < picture.data.length; at += 4) picture.data.set([red, green, blue, alpha], at)
  return PNG.sync.write(picture)
}

const set = async (itemId: string, bytes: Uint8Array) => keepOwnCover(await contextOf(server, owner), { itemId, bytes })

async function stored(itemId: string): Promise<string[]> {
  const { files } = server.running.opened.services
  return (await collect(files.list(`covers/${itemId}/`))).map(({ key }) => key)
}

test('a Markdown book has its uploaded cover, scaled down, until another one is uploaded', async () => {
  const id = await makeBook(server, owner)
  expect((await owner.load(`/books/${id}/cover`)).status).toBe(404)
  await set(id, png(1000, 1500, [200, 30, 40, 255]))
  const red = await owner.load(`/books/${id}/cover`)
  expect(red.picture).toEqual({ mediaType: 'image/png', width: 640, height: 960 })
  const [r = 0, g = 0, b = 0] = PNG.sync.read(red.bytes).data
  expect(Math.max(Math.abs(r - 200), Math.abs(g - 30), Math.abs(b - 40))).toBeLessThan(12)
  await set(id, png(1000, 1500, [200, 30, 40, 255]))
  const [first] = await stored(id)
  await set(id, png(30, 40, [0, 0, 0, 0]))
  const white = await owner.load(`/books/${id}/cover`)
  expect(white.picture).toMatchObject({ width: 30, height: 40 })
  expect([...PNG.sync.read(white.bytes).data.subarray(0, 3)]).toEqual([255, 255, 255])
  expect(white.headers.get('etag')).not.toBe(red.headers.get('etag'))
  const keys = await stored(id)
  expect([keys.length, keys[0] === first]).toEqual([1, false])
})

test('a JPEG is redrawn without its metadata', async () => {
  const id = await makeBook(server, owner)
  const jpeg = Buffer.from(testJpeg(60, 80))
  const secret = Buffer.from('\u00ff\u00e1\u0000\u000eExif secret!', 'latin1')
  await set(id, Buffer.concat([jpeg.subarray(0, 2), secret, jpeg.subarray(2)]))
  const { picture, bytes } = await owner.load(`/books/${id}/cover`)
  expect(picture).toMatchObject({ width: 60, height: 80 })
  expect(bytes.includes('secret')).toBe(false)
})

test.for([
  ['no picture', Buffer.from('hello')],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a truncated PNG', png(300, 300, [1, 2, 3, 100]).subarray(0, 60)],
] as const)('%s is refused, and the cover stays unchanged', async ([, bytes]) => {
  const id = await makeBook(server, owner)
  await expect(set(id, bytes)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  expect([(await owner.load(`/books/${id}/cover`)).status, await stored(id)]).toEqual([404, []])
})

test("it is removed with its book, and other accounts' books cannot get one", async () => {
  const stranger = await pictureReader(server)
  const id = await makeBook(server, owner)
  const picture = png(30, 40, [9, 9, 9, 255])
  await keepOwnCover(await contextOf(server, stranger), { itemId: id, bytes: picture })
  expect(await stored(id)).toEqual([])
  await set(id, picture)
  expect((await stored(id)).length).toBe(1)
  await rest.call(server, owner, 'delete_items', { ids: [id] })
  expect((await stored(id)).length).toBe(1)
  await rest.call(server, owner, 'erase_deleted_item', { itemId: id })
  expect(await stored(id)).toEqual([])
})
