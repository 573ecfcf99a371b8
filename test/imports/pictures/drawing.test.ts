import { deflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, test } from 'vitest'
import { ExtractionError } from '../../../src/imports/extract/extraction-error.ts'
import { sniffPicture } from '../../../src/imports/formats/picture/sniff-picture.ts'
import {
  blackSquare,
  drawingOutcome,
  testRenderer,
  testJpeg,
  useTestRenderer,
  zeroImage,
} from '../../support/drawing.ts'
import { withOwnerPassword, withUserPassword } from '../../support/encrypted-pdf.ts'
import { buildEpub } from '../../support/epub.ts'
import { isAlive } from '../../support/extraction.ts'
import { assemblePdf, writePdf } from '../../support/pdf.ts'
import { readerCode } from '../../support/reader-code.ts'

const timeout = 120_000

beforeAll(() => readerCode.prepare(new Date()))

const twoPages = writePdf({ pages: [{ content: blackSquare }, { content: '' }] })

/** Whether a pixel is dark. Its position is given as fractions of the width and height. */
function isDark(png: Uint8Array, [x, y]: readonly [number, number]): boolean {
  const { width, height, data } = PNG.sync.read(Buffer.from(png))
  return Number(data[4 * (Math.floor(y * height) * width + Math.floor(x * width))]) < 128
}

describe('pages of a PDF', { timeout }, () => {
  test('are drawn faithfully, at the requested width', async () => {
    const { draw } = testRenderer()
    const first = await draw(twoPages, { width: 600 })
    expect([first.mediaType, first.width, first.height]).toEqual(['image/png', 600, 776])
    expect([isDark(first.bytes, [0.05, 0.95]), isDark(first.bytes, [0.5, 0.5])]).toEqual([true, false])
    const second = await draw(twoPages, { page: 2, width: 1200 })
    expect([second.width, isDark(second.bytes, [0.05, 0.95])]).toEqual([1200, false])
  })

  test('after the first are drawn by a process that still has the file', async () => {
    const { draw, renderer, readings } = testRenderer()
    await draw(twoPages)
    const [pid] = renderer.pids()
    await draw(twoPages, { page: 2 })
    expect([renderer.pids(), readings.get('file')]).toEqual([[pid], 1])
    await draw(twoPages, { name: 'another of the same owner' })
    expect(renderer.pids()).toEqual([pid])
    await draw(twoPages)
    expect(readings.get('file')).toBe(2)
  })

  test('of another account are drawn by another process', async () => {
    const { draw, renderer } = testRenderer()
    await draw(twoPages, { accountId: 'one' })
    const [first] = renderer.pids()
    await draw(twoPages, { accountId: 'two' })
    expect(renderer.pids()).toHaveLength(2)
    expect(renderer.pids()).toContain(first)
  })

  test('do not keep their process after nobody has turned a page for a while', async () => {
    const { draw, renderer } = testRenderer({ idleTimeoutMs: 50 })
    await draw(twoPages)
    await expect.poll(() => renderer.pids(), { timeout: 10_000 }).toEqual([])
  })

  test('of any size fit into the maximum picture size', async () => {
    const { draw } = testRenderer()
    const sizeOf = async (width: number, height: number) => {
      const picture = await draw(writePdf({ pages: [{ content: blackSquare, width, height }] }), {
        name: `${width} ${height}`,
        width: 1200,
      })
      return [picture.width, picture.height]
    }
    expect(await sizeOf(14_400, 14_400)).toEqual([1200, 1200])
    expect(await sizeOf(14_400, 3)).toEqual([1200, 1])
    expect(await sizeOf(3, 14_400)).toEqual([1, 3600])
    expect(await sizeOf(20_000_000, 20_000_000)).toEqual([1200, 1200])
  })
})

/** Forms of which each draws the next one ten times: 10^9 squares. */
function nestedForms(): Uint8Array {
  const form = (at: number, content: string) => {
    const resources = `/Resources << /XObject << /F ${at + 1} 0 R >> >>`
    return `<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] ${resources} /Length ${content.length} >>\nstream\n${content}\nendstream`
  }
  const objects = new Map<number, string>([
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'],
    [
      3,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
    ],
    [4, '<< /Length 5 >>\nstream\n/F Do\nendstream'],
  ])
  for (let at = 5; at < 14; at++) objects.set(at, form(at, '/F Do '.repeat(10)))
  objects.set(14, form(14, '0 0 9 9 re f'))
  return assemblePdf(objects)
}

/** A page that shows an image object. */
function pageWithImage(image: Buffer): Uint8Array {
  return assemblePdf(
    new Map<number, string | Buffer>([
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Count 1 /Kids [3 0 R] >>'],
      [
        3,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
      ],
      [4, '<< /Length 28 >>\nstream\nq 600 0 0 800 0 0 cm /I Do Q\nendstream'],
      [5, image],
    ]),
  )
}

describe('hostile files', { timeout }, () => {
  test.for([
    ['encrypted with a password', 'ENCRYPTED', withUserPassword],
    ['with an owner password only', 'ok', withOwnerPassword],
    ['that is not a PDF', 'BROKEN', Buffer.from('not a file of any kind')],
    ['that is empty', 'BROKEN', Buffer.alloc(0)],
    ['truncated in the first object', 'BROKEN', twoPages.subarray(0, 40)],
  ] as const)('a PDF %s: %s', async ([, outcome, bytes]) => {
    const { draw, renderer } = testRenderer()
    expect(await drawingOutcome(draw(bytes))).toBe(outcome)
    const pids = renderer.pids()
    expect(await drawingOutcome(draw(twoPages, { name: 'a good one' }))).toBe('ok')
    expect(renderer.pids()).toEqual(pids)
  })

  test('a truncated PDF is drawn or refused, and the next one is drawn', async () => {
    const { draw } = testRenderer()
    const cut = writePdf({ pages: Array.from({ length: 50 }, () => ({ content: blackSquare })) })
    expect(['ok', 'BROKEN', 'EMPTY']).toContain(await drawingOutcome(draw(cut.subarray(0, cut.length / 2))))
    expect(await drawingOutcome(draw(twoPages, { name: 'a good one' }))).toBe('ok')
  })

  test('a page that the file does not have is refused', async () => {
    const { draw } = testRenderer()
    expect(await drawingOutcome(draw(twoPages, { page: 3 }))).toBe('EMPTY')
    expect(await drawingOutcome(draw(twoPages, { page: 0 }))).toBe('EMPTY')
  })

  test('a page of 100,000 objects is drawn within the limits', async () => {
    const squares = Array.from({ length: 100_000 }, (_, at) => `${at % 600} ${at % 790} 3 3 re f`).join('\n')
    const { draw } = testRenderer()
    const picture = await draw(writePdf({ pages: [{ content: squares, compress: true } as never], compress: true }))
    expect(picture.width).toBe(600)
  })

  test('a page that would take hours is aborted at a limit, and its process ends', async () => {
    const { draw, renderer } = testRenderer({ timeoutMs: 3000 })
    const drawing = drawingOutcome(draw(nestedForms()))
    await expect.poll(() => renderer.pids(), { timeout: 10_000 }).toHaveLength(1)
    const [pid] = renderer.pids()
    // A fast machine fills the memory before the time limit.
    expect(['TIMED_OUT', 'OUT_OF_MEMORY']).toContain(await drawing)
    await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false)
    expect(await drawingOutcome(draw(twoPages, { name: 'a good one' }))).toBe('ok')
  })

  test('an image of 900 million pixels takes no more memory than a process may have', async () => {
    const { draw } = testRenderer({ maxMemoryBytes: 300_000_000, timeoutMs: 5000 })
    const outcome = await drawingOutcome(draw(pageWithImage(zeroImage(30_000, 30_000, 50_000_000))))
    expect(['ok', 'OUT_OF_MEMORY', 'CRASHED', 'TIMED_OUT']).toContain(outcome)
    expect(await drawingOutcome(draw(twoPages, { name: 'a good one' }))).toBe('ok')
  })

  test('a file that is shorter or longer than declared is refused', async () => {
    const { renderer } = testRenderer()
    const file = (bytes: number) => ({
      name: `of ${bytes}`,
      bytes,
      read: async function* () {
        yield twoPages
      },
    })
    for (const bytes of [twoPages.length + 1, twoPages.length - 1]) {
      const drawing = renderer.draw({ file: file(bytes), accountId: 'a', sourceType: 'pdf', page: 1, width: 600 })
      await expect(drawing).rejects.toThrow(/does not have/)
    }
  })

  test('an error of reading the file is rethrown', async () => {
    const { renderer } = testRenderer()
    const failure = new Error('the disk is gone')
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield twoPages.subarray(0, 10)
      throw failure
    }
    const drawing = renderer.draw({
      file: { name: 'x', bytes: 1000, read },
      accountId: 'a',
      sourceType: 'pdf',
      page: 1,
      width: 600,
    })
    await expect(drawing).rejects.toBe(failure)
    expect(failure).not.toBeInstanceOf(ExtractionError)
  })
})

const cover = (name: string, mediaType: string) =>
  `<item id="cov" href="${name}" media-type="${mediaType}" properties="cover-image"/>`

function pngOf(width: number, height: number, { alpha = false } = {}): Buffer {
  const png = new PNG({ width, height })
  for (let at = 0; at < png.data.length; at += 4) png.data.set([200, 30, 60, alpha ? 128 : 255], at)
  return PNG.sync.write(png, { colorType: alpha ? 6 : 2 })
}

/** A PNG of a few bytes whose header has these dimensions. */
function pngBomb(width: number, height: number): Buffer {
  const png = pngOf(1, 1)
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  return png
}

describe('covers of EPUB files', { timeout }, () => {
  let count = 0
  const shared = useTestRenderer()
  const draw = async (bytes: Uint8Array | string, mediaType = 'image/jpeg', parts = {}) => {
    const epub = await buildEpub({ manifest: cover('cover.x', mediaType), files: { 'OEBPS/cover.x': bytes }, ...parts })
    return shared().draw(epub, { name: `book ${++count}`, sourceType: 'epub', width: 320 })
  }

  test('are decoded and scaled down, a photograph as a JPEG', async () => {
    const picture = await draw(testJpeg(640, 900))
    expect([picture.mediaType, picture.width, picture.height]).toEqual(['image/jpeg', 320, 450])
    expect(picture.bytes.length).toBeLessThan(40_000)
  })

  test('of few colours are a PNG; small ones are not enlarged', async () => {
    const picture = await draw(pngOf(200, 300), 'image/png')
    expect([picture.mediaType, picture.width, picture.height]).toEqual(['image/png', 200, 300])
    expect(
      [...PNG.sync.read(Buffer.from(picture.bytes)).data.subarray(0, 3)].map((value) => Math.round(value / 17)),
    ).toEqual([12, 2, 4])
  })

  test('with transparency are passed on unchanged', async () => {
    const bytes = pngOf(200, 300, { alpha: true })
    expect(Buffer.from((await draw(bytes, 'image/png')).bytes).equals(bytes)).toBe(true)
  })

  test('are found by the metadata of EPUB 2', async () => {
    const picture = await draw(testJpeg(100, 150), 'image/jpeg', {
      manifest: '<item id="thecover" href="cover.x" media-type="image/jpeg"/>',
      metadata: '<dc:title>A book</dc:title><meta name="cover" content="thecover"/>',
    })
    expect(picture.width).toBe(100)
  })

  const png = pngOf(400, 600)
  test.for([
    [
      'an SVG with a script',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'image/svg+xml',
      'EMPTY',
    ],
    [
      'an SVG called a PNG',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'image/png',
      'EMPTY',
    ],
    ['a page called a JPEG', '<!doctype html><script>alert(1)</script>', 'image/jpeg', 'EMPTY'],
    ['nothing', '', 'image/png', 'EMPTY'],
    ['a PNG of 30,000 × 30,000 pixels', pngBomb(30_000, 30_000), 'image/png', 'TOO_LARGE'],
    ['a PNG of 9,000 × 9,000 pixels', pngBomb(9000, 9000), 'image/png', 'TOO_LARGE'],
    ['a file of 20 MB', Buffer.concat([png, Buffer.alloc(20_000_000)]), 'image/png', 'TOO_LARGE'],
    [
      'a transparent PNG of a megabyte',
      Buffer.concat([pngOf(9, 9, { alpha: true }), Buffer.alloc(1_000_000)]),
      'image/png',
      'TOO_LARGE',
    ],
  ] as const)('%s is refused', async ([, bytes, mediaType, code]) => {
    expect(await drawingOutcome(draw(bytes, mediaType))).toBe(code)
  })

  test('whose data unpack to far more than their pixels do no harm', async () => {
    const bomb = pngOf(10, 10)
    const data = deflateSync(Buffer.alloc(100_000_000))
    const idat = Buffer.alloc(data.length + 12)
    idat.writeUInt32BE(data.length, 0)
    idat.write('IDAT', 4, 'latin1')
    idat.set(data, 8)
    const bytes = Buffer.concat([bomb.subarray(0, 33), idat, bomb.subarray(33)])
    expect(['ok', 'BROKEN']).toContain(await drawingOutcome(draw(bytes, 'image/png')))
  })

  test('are not invented if the file declares none', async () => {
    const epub = await buildEpub({ files: { 'OEBPS/cover.jpg': testJpeg(100, 150) } })
    expect(await drawingOutcome(shared().draw(epub, { sourceType: 'epub' }))).toBe('EMPTY')
  })
})

test('the headers of the test pictures are valid', () => {
  expect(sniffPicture(testJpeg(20, 30))).toEqual({ mediaType: 'image/jpeg', width: 20, height: 30 })
})
