import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PNG } from 'pngjs'
import { beforeEach, describe, expect, test } from 'vitest'
import { comparePicture, expectPicture } from '../support/compare-pictures.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { chromiumNeed, launchBrowser, testWith } from '../support/system-needs.ts'

let file: string
let differences: string

beforeEach(async () => {
  const folder = await createTemporaryFolder()
  file = join(folder, 'pictures', 'library.png')
  differences = join(folder, 'pictures', 'differences')
})

/** A white picture of 100 × 100 pixels with the first `marked` of them black. */
function pictureOf(marked: number, { width = 100, height = 100 } = {}): Buffer {
  const png = new PNG({ width, height })
  for (let at = 0; at < width * height; at++) png.data.set(at < marked ? [0, 0, 0, 255] : [255, 255, 255, 255], at * 4)
  return PNG.sync.write(png)
}

async function store(picture: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, picture)
}

describe('a picture of a page', () => {
  test('that is unchanged passes and leaves nothing behind', async () => {
    await store(pictureOf(50))
    expect(await comparePicture(pictureOf(50), file, { update: false })).toEqual({ different: 0 })
    expect(await readdir(dirname(file))).toEqual(['library.png'])
  })

  test('may differ in one pixel of a thousand, and no more', async () => {
    await store(pictureOf(0))
    expect((await comparePicture(pictureOf(10), file, { update: false })).different).toBe(10)
    await expect(comparePicture(pictureOf(11), file, { update: false })).rejects.toThrow(/11 pixels differ, 10 may/)
    expect((await comparePicture(pictureOf(500), file, { update: false, share: 0.05 })).different).toBe(500)
  })

  test('that differs fails and names the files that show the difference', async () => {
    await store(pictureOf(0))
    const failure = await comparePicture(pictureOf(300), file, { update: false }).catch((error: Error) => error.message)
    const [diff, seen] = [join(differences, 'library.diff.png'), join(differences, 'library.seen.png')]
    expect(failure).toContain(diff)
    expect(failure).toContain(seen)
    expect(failure).toContain('LECTERN_TEST_UPDATE_PICTURES=1')
    expect((await readFile(seen)).equals(pictureOf(300))).toBe(true)
    const marked = PNG.sync.read(await readFile(diff))
    expect([...marked.data.subarray(0, 3)]).toEqual([255, 0, 0])
    await comparePicture(pictureOf(0), file, { update: false })
    expect(await readdir(differences)).toEqual([])
  })

  test('of another size, or without a stored one, fails and says so', async () => {
    await expect(comparePicture(pictureOf(0), file, { update: false })).rejects.toThrow(/no picture is stored/)
    await store(pictureOf(0))
    const taller = pictureOf(0, { height: 101 })
    await expect(comparePicture(taller, file, { update: false })).rejects.toThrow(
      /100 × 101 pixels instead of 100 × 100/,
    )
  })

  test('is stored on request, compressed; an unchanged one is left as it is', async () => {
    await comparePicture(pictureOf(40), file, { update: true })
    const first = await readFile(file)
    expect(first.length).toBeLessThanOrEqual(pictureOf(40).length)
    await store(Buffer.concat([first]))
    await comparePicture(pictureOf(40), file, { update: true })
    expect((await readFile(file)).equals(first)).toBe(true)
    await comparePicture(pictureOf(90), file, { update: true })
    expect((await comparePicture(pictureOf(90), file, { update: false })).different).toBe(0)
  })
})

testWith(chromiumNeed)('of a browser page is compared, except for covered parts', { timeout: 60_000 }, async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 400, height: 200 } })
    const show = (clock: string, words: string) =>
      page.setContent(`<style>p{font:20px sans-serif}</style><p id="clock">${clock}</p><p>${words}</p>`)
    await show('10:15', 'A library of books')
    await expectPicture(page, file, { update: true, cover: ['#clock'] })
    await show('11:16', 'A library of books')
    await expectPicture(page, file, { update: false, cover: ['#clock'] })
    await show('11:16', 'A library of something else')
    await expect(expectPicture(page, file, { update: false, cover: ['#clock'] })).rejects.toThrow(/pixels differ/)
  } finally {
    await browser.close()
  }
})
