import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importIllustrated, type IllustratedBook } from '../support/illustrated-book.ts'
import { pictureReader, type PictureReader } from '../support/picture-client.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let owner: PictureReader
let book: IllustratedBook

beforeAll(async () => {
  owner = await pictureReader(server)
  book = await importIllustrated(server, owner)
})

const figurePath = () => `/books/${book.itemId}/pages/1/figures/${book.boat.id}`

describe('the figures of a page', { timeout: 60_000 }, () => {
  test('are pictures with descriptions in the text', async () => {
    const { text } = await owner.browser.get(`/books/${book.itemId}/pages/1`)
    expect(text).toContain(
      `<figure dir="auto"><img src="${figurePath()}?v=1" alt="A grand boat" loading="lazy" class="figure" /></figure>`,
    )
    const stored = await owner.browser.get(`/books/${book.itemId}/pages/1?as=stored`)
    expect(stored.text).toContain(`![A grand boat](figure:${book.boat.id})`)
    expect(stored.text).not.toContain('<img src="/books')
  })

  test('are sent as pictures only, and cached privately', async () => {
    const answer = await owner.load(`${figurePath()}?v=1`)
    expect([answer.status, answer.picture]).toEqual([200, { mediaType: 'image/jpeg', width: 160, height: 120 }])
    expect(answer.headers.get('content-type')).toBe('image/jpeg')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    const again = await owner.load(`${figurePath()}?v=1`, { 'If-None-Match': answer.headers.get('etag') ?? '' })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })

  test.for([
    ['of another page', () => `/books/${book.itemId}/pages/2/figures/${book.boat.id}`],
    ['of a version that does not exist', () => `${figurePath()}?v=7`],
    ['whose id is a path', () => `/books/${book.itemId}/pages/1/figures/..%2F..%2Fsecret`],
  ] as const)('one %s is not found', async ([, path]) => {
    expect((await owner.load(path())).status).toBe(404)
  })

  test('strangers see none, not even with an entity tag; visitors are asked to sign in', async () => {
    const tag = (await owner.load(figurePath())).headers.get('etag') ?? ''
    const stranger = await pictureReader(server)
    expect((await stranger.load(figurePath(), { 'If-None-Match': tag })).status).toBe(404)
    const visitor = await fetch(server.baseUrl + figurePath(), { redirect: 'manual' })
    expect(visitor.status).toBe(303)
  })
})

describeWith(chromiumNeed)('in a browser', () => {
  let chromium: Browser

  beforeAll(async () => {
    chromium = await launchBrowser()
  })
  afterAll(() => chromium.close())

  test.for([360, 1280])('a figure is visible and fits a window %i wide', { timeout: 60_000 }, async (width) => {
    const context = await chromium.newContext({ viewport: { width, height: 800 } })
    const cookies = Array.from(owner.browser.cookies, ([name, value]) => ({ name, value, url: server.baseUrl }))
    await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/books/${book.itemId}/pages/1`)
    const image = page.getByRole('img', { name: 'A grand boat' })
    await image.scrollIntoViewIfNeeded()
    await expect
      .poll(() => image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(160)
    const box = await image.boundingBox()
    expect(Number(box?.x) + Number(box?.width)).toBeLessThanOrEqual(width)
    await context.close()
  })
})
