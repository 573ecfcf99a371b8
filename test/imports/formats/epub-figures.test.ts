import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { figureLimits } from '../../../src/imports/formats/figures.ts'
import { sniffPicture } from '../../../src/imports/formats/picture/sniff-picture.ts'
import { photograph, readEpubFigures, testPng, transparentPng } from '../../support/figures.ts'

const one = (body: string) => ({ 'one.xhtml': body })
const picture = { 'OEBPS/a.jpg': photograph(1), 'OEBPS/b.png': transparentPng() }

describe('figures of an EPUB', () => {
  test.for([
    ['with an alternative text', '<p>a</p><img src="a.jpg" alt="A cat"/><p>b</p>', 'a\n\n![A cat](figure:1)\n\nb'],
    ['in a line', '<p>a <img src="a.jpg" alt="x &amp; [y]"/> b</p>', 'a ![x \\& \\[y\\]](figure:1) b'],
    ['of an SVG element', '<svg><image xlink:href="a.jpg"/></svg>', '![](figure:1)'],
    ['with a text in Persian', '<img src="a.jpg" alt="نقشهٔ تهران"/>', '![نقشهٔ تهران](figure:1)'],
    ['with a text in Chinese', '<img src="a.jpg" alt="长城"/>', '![长城](figure:1)'],
    ['named by its file', '<img src="a.jpg" alt="IMG_2041.JPG"/>', '![](figure:1)'],
    [
      'with a caption',
      '<figure><img src="b.png" alt=""/><figcaption>Fig. 1: <i>Squares</i></figcaption></figure>',
      '![Fig. 1: Squares](figure:1)\n\nFig. 1: *Squares*',
    ],
    [
      'with both',
      '<figure><figcaption>Fig. 1</figcaption><img src="b.png" alt="Red squares"/></figure>',
      'Fig. 1\n\n![Red squares](figure:1)',
    ],
    ['in a heading', '<h2><img src="a.jpg" alt="One"/></h2><p>b</p>', '## ![One](figure:1)\n\nb'],
    [
      'in a table',
      '<table><tr><td>a|b</td><td><img src="a.jpg" alt="c|d"/></td></tr></table>',
      '|  |  |\n| --- | --- |\n| a\\|b | ![c\\|d](figure:1) |',
    ],
  ] as const)('are placed %s', async ([, body, text]) => {
    const { pages, figures } = await readEpubFigures({ chapters: one(body), files: picture })
    expect(pages).toEqual([text])
    expect(figures).toHaveLength(1)
    expect(sniffPicture(figures[0]?.bytes ?? Buffer.alloc(0))).toMatchObject({ width: expect.any(Number) })
  })

  test('are one figure if the same picture has two names', async () => {
    const files = { 'OEBPS/a.jpg': photograph(1), 'OEBPS/copy.jpg': photograph(1) }
    const { pages, figures } = await readEpubFigures({
      chapters: one('<p>x</p><img src="a.jpg"/><img src="copy.jpg"/>'),
      files,
    })
    expect(pages).toEqual(['x\n\n![](figure:1)![](figure:1)'])
    expect(figures).toHaveLength(1)
  })

  test('are scaled down if large, and drawn on white if transparent', async () => {
    const files = { 'OEBPS/large.jpg': photograph(2, [2400, 600]), 'OEBPS/b.png': transparentPng(96) }
    const { figures } = await readEpubFigures({ chapters: one('<img src="large.jpg"/><img src="b.png"/>'), files })
    expect(figures).toMatchObject([
      { width: 1200, height: 300, mediaType: 'image/jpeg' },
      { width: 96, height: 96, mediaType: 'image/png' },
    ])
  })

  test.for([
    ['tiny ones', { 'OEBPS/a.jpg': photograph(1, [20, 20]) }],
    ['rules', { 'OEBPS/a.jpg': photograph(1, [600, 8]) }],
    [
      'those of one colour',
      { 'OEBPS/a.jpg': testPng({ width: 90, height: 90, kind: 0, row: () => new Uint8Array(90).fill(7) }) },
    ],
    ['drawings in SVG', { 'OEBPS/a.jpg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' }],
    ['files that are missing', {}],
  ] as const)('leave out %s and keep their descriptions', async ([, files]) => {
    const body = '<p>x</p><p><img src="a.jpg"/></p><p>y</p><p><img src="a.jpg" alt="A rule"/></p>'
    const { pages, figures } = await readEpubFigures({ chapters: one(body), files })
    expect(pages).toEqual(['x\n\ny\n\n[Image: A rule]'])
    expect(figures).toEqual([])
  })

  test('leave out ornaments: pictures that recur throughout the book', async () => {
    const chapter = (n: number) => `<p>Chapter ${n}</p><img src="rule.jpg"/><img src="f${n}.jpg"/>`
    const numbers = Array.from({ length: 6 }, (_, n) => n)
    const { pages, figures } = await readEpubFigures({
      chapters: Object.fromEntries(numbers.map((n) => [`c${n}.xhtml`, chapter(n)])),
      files: {
        'OEBPS/rule.jpg': photograph(99),
        ...Object.fromEntries(numbers.map((n) => [`OEBPS/f${n}.jpg`, photograph(n)])),
      },
    })
    expect(figures).toHaveLength(6)
    expect(pages).toEqual(numbers.map((n) => `Chapter ${n}\n\n![](figure:${n + 1})`))
  })

  test('a page that is only a picture shows it, and still counts as a picture without text', async () => {
    const { pages } = await readEpubFigures({ chapters: one('<img src="a.jpg" alt=""/>'), files: picture })
    expect(pages).toEqual(['![](figure:1)'])
  })

  test('text that looks like a figure marker is not a marker', async () => {
    const { pages } = await readEpubFigures({ chapters: one('<p>![x](figure:0123456789abcdef)</p>') })
    expect(pages).toEqual(['![x\\](figure:0123456789abcdef)'])
  })

  test('a marker is not split where a long paragraph continues on the next page', async () => {
    const text = 'word '.repeat(580)
    const body = `<p>${text}<img src="a.jpg" alt="${'many words of a description '.repeat(12)}"/> ${text}</p>`
    const { pages } = await readEpubFigures({ chapters: one(body), files: picture })
    expect(pages.length).toBeGreaterThan(1)
    for (const page of pages) expect(page.match(/!\[/g)?.length ?? 0).toBe(page.match(/\]\(figure:1\)/g)?.length ?? 0)
    expect(pages.join(' ')).toContain('](figure:1)')
  })
})

describe('hostile pictures in an EPUB', () => {
  const png = (width: number, height: number, data?: Uint8Array) =>
    testPng({ width, height, kind: 2, row: () => new Uint8Array(width * 3), ...(data ? { data } : {}) })

  test.for([
    ['that says it has 60,000 × 60,000 pixels', png(60_000, 60_000, Buffer.alloc(100))],
    ['that unpacks to a gigabyte', png(100, 100, gzipBomb())],
    ['that is cut off', transparentPng().subarray(0, 200)],
    ['with an unknown filter', testPng({ width: 60, height: 60, kind: 0, filter: 9, row: () => new Uint8Array(60) })],
    ['without a palette', testPng({ width: 60, height: 60, kind: 3, row: (y) => new Uint8Array(60).fill(y) })],
  ] as const)('a picture %s is left out at once', async ([, bytes]) => {
    const started = performance.now()
    const { pages, figures } = await readEpubFigures({
      chapters: one('<p>x</p><img src="a.png" alt="A bomb"/><img src="b.jpg" alt="A boat"/>'),
      files: { 'OEBPS/a.png': bytes, 'OEBPS/b.jpg': photograph(1) },
    })
    expect(pages).toEqual(['x\n\n[Image: A bomb]![A boat](figure:1)'])
    expect(figures).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  test('a truncated JPEG is drawn partially or left out', async () => {
    const whole = photograph(1, [300, 300])
    const files = { 'OEBPS/a.jpg': whole.subarray(0, whole.length / 2) }
    const { figures } = await readEpubFigures({ chapters: one('<p>x</p><img src="a.jpg" alt="Half"/>'), files })
    for (const { bytes } of figures) expect(sniffPicture(bytes)).not.toBeNull()
  })

  test(
    'of 10,000 pictures on a page only a limited number is kept; the page stays within its limits',
    { timeout: 60_000 },
    async () => {
      const numbers = Array.from({ length: 10_000 }, (_, n) => n)
      const files = Object.fromEntries(
        numbers.slice(0, 1200).map((n) => [`OEBPS/${n}.jpg`, photograph(n, [60, 48])] as const),
      )
      const body = numbers.map((n) => `<p><img src="${n % 3334}.jpg"/></p>`).join('')
      const { pages, figures } = await readEpubFigures({ chapters: one(`<p>x</p>${body}`), files })
      expect(figures.length).toBeGreaterThan(0)
      expect(figures.length).toBeLessThanOrEqual(figureLimits.figures)
      expect(pages.join('').match(/figure:/g)?.length).toBeLessThanOrEqual(figureLimits.markers)
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(6100)
    },
  )
})

function gzipBomb(): Uint8Array {
  // Zlib data is deflate data with another header. A gigabyte of zeros takes a megabyte.
  return gzipSync(Buffer.alloc(200_000_000))
}
