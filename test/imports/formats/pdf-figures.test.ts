import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { sniffPicture } from '../../../src/imports/formats/picture/sniff-picture.ts'
import { photograph, readPdfFigures } from '../../support/figures.ts'
import { pictureObject } from '../../support/illustrated-book.ts'
import { element, taggedPdf } from '../../support/tagged-pdf.ts'
import { showLines, showText, writePdf, type TestPdf } from '../../support/pdf.ts'

/** Draws an image object with its lower left corner at x, y. */
const show = (name: string, [x, y, width, height]: [number, number, number, number]) =>
  `q ${width} 0 0 ${height} ${x} ${y} cm /${name} Do Q\n`
const read = (pdf: TestPdf) => readPdfFigures(writePdf(pdf))
const above = showLines(
  ['Some words stand above the figure and fill the', 'line to its end, as text does in books, often.'],
  {
    x: 72,
    y: 700,
  },
)
const below = showLines(
  ['Other words stand below the figure and go on as', 'if there had been nothing in between, as usual.'],
  {
    x: 72,
    y: 400,
  },
)
/** A curve of many line segments in a frame. */
const plot = (x: number, y: number) =>
  Array.from(
    { length: 20 },
    (_, n) => `${x + n * 10} ${y + ((n * 37) % 90)} m ${x + n * 10 + 10} ${y + ((n * 53) % 90)} l S\n`,
  ).join('') + `${x} ${y} 200 100 re S\n`

describe('pictures in a PDF', () => {
  test('appear between the paragraphs where they are on the page', async () => {
    const content = above + show('P0', [150, 450, 300, 200]) + below
    const { pages, figures } = await read({ pages: [{ content }], pictures: [pictureObject(1)] })
    expect(pages).toEqual([
      'Some words stand above the figure and fill the line to its end, as text does in books, often.\n\n' +
        '![](figure:1)\n\n' +
        'Other words stand below the figure and go on as if there had been nothing in between, as usual.',
    ])
    expect(figures).toMatchObject([{ width: 900, height: 600, mediaType: 'image/jpeg' }])
  })

  test('repeat the beginning of their caption, which also stays in the text', async () => {
    const caption = showText('Figure 3: A boat on the sea', { x: 200, y: 435 })
    const content = above + show('P0', [150, 450, 300, 200]) + caption + below
    const { pages } = await read({ pages: [{ content }], pictures: [pictureObject(1)] })
    expect(pages[0]).toContain('\n\n![Figure 3: A boat on the sea](figure:1)\n\nFigure 3: A boat on the sea\n\n')
  })

  test('of a tagged file have its alternative text', async () => {
    const figure = {
      ...element('Figure', show('P0', [150, 450, 300, 200])),
      entries: '/Alt (A boat\\(s\\) on the sea)',
    }
    const tagged = taggedPdf([element('P', above), figure, element('P', below)])
    const { pages } = await read({ ...tagged, pictures: [pictureObject(1)] })
    expect(pages[0]).toContain('as text does in books, often.\n\n![A boat(s) on the sea](figure:1)\n\nOther words')
  })

  test('that are stored in strips are one figure', async () => {
    const strips = [0, 1, 2, 3].map((n) => show(`P${n}`, [150, 600 - n * 50, 300, 50])).join('')
    const { pages, figures } = await read({
      pages: [{ content: above + strips + below }],
      pictures: [0, 1, 2, 3].map((n) => pictureObject(n, [300, 50])),
    })
    expect(figures).toMatchObject([{ width: 900, height: 600 }])
    expect(pages[0]?.match(/figure:/g)).toHaveLength(1)
  })

  test('are upright on a rotated page', async () => {
    const content = above + show('P0', [150, 450, 300, 150])
    const { figures } = await read({ pages: [{ content, rotate: 90 }], pictures: [pictureObject(1)] })
    expect(figures).toMatchObject([{ width: 450, height: 900 }])
  })

  test.for([
    ['small pictures', show('P0', [150, 600, 30, 30])],
    ['rules', show('P0', [150, 600, 300, 4])],
    ['pictures of the whole page', show('P0', [0, 0, 612, 792])],
  ] as const)('%s are not figures', async ([, picture]) => {
    const { pages, figures } = await read({ pages: [{ content: picture + above }], pictures: [pictureObject(1)] })
    expect(pages).toEqual([
      'Some words stand above the figure and fill the line to its end, as text does in books, often.',
    ])
    expect(figures).toEqual([])
  })

  test('a picture of a single colour is not a figure', async () => {
    const grey = {
      entries: '/Width 64 /Height 64 /ColorSpace /DeviceGray /BitsPerComponent 8',
      data: Buffer.alloc(4096, 90),
    }
    const content = above + show('P0', [150, 450, 300, 200]) + below
    const { pages, figures } = await read({ pages: [{ content }], pictures: [grey] })
    expect([figures, pages[0]?.includes('figure')]).toEqual([[], true])
    expect(pages[0]).not.toContain('![')
  })

  test('a logo on every page is not a figure; pictures beside it are', async () => {
    const logo = show('P0', [450, 720, 100, 50])
    const page = (n: number) => ({ content: logo + above + show(`P${n}`, [150, 450, 300, 200]) + below })
    const { pages, figures } = await read({
      pages: [1, 2, 3, 4, 5, 6].map(page),
      pictures: [0, 1, 2, 3, 4, 5, 6].map((n) => pictureObject(n)),
    })
    expect(figures).toHaveLength(6)
    for (const text of pages) expect(text.match(/figure:/g)).toHaveLength(1)
  })
})

describe('drawings in a PDF', () => {
  test('with a caption are figures, including the labels around them', async () => {
    const labels =
      showText('0.5', { x: 140, y: 500, size: 8 }) + showText('Figure 2: A curve of noise', { x: 180, y: 432 })
    const content = above + plot(160, 460) + labels + below
    const { pages, figures } = await read({ pages: [{ content }] })
    expect(pages[0]).toContain('![Figure 2: A curve of noise](figure:1)')
    const [figure] = figures
    // The drawing is 200 points wide, plus its labels, at 3 pixels per point.
    expect(figure?.width).toBeGreaterThan(630)
    expect(figure?.width).toBeLessThan(720)
    expect(figure?.mediaType).toBe('image/png')
  })

  test.for([
    ['without a caption', above + plot(160, 460) + below],
    ['of a few rules', `${above}100 500 m 300 500 l S\n${showText('Figure 2: Nothing', { x: 180, y: 480 })}${below}`],
    ['far from the caption', plot(160, 650) + showText('Figure 2: Far away', { x: 180, y: 300 })],
    [
      'next to a sentence that begins like a caption',
      plot(160, 460) + showText('Figure 2 shows what is meant by this.', { x: 160, y: 440 }),
    ],
  ] as const)('drawings %s are not figures', async ([, content]) => {
    expect((await read({ pages: [{ content }] })).figures).toEqual([])
  })

  test.for([
    ['French', 'Figure 1 – Une courbe'],
    ['German', 'Abbildung 4.2: Eine Kurve'],
    ['abbreviated', 'Fig. 7. A curve'],
  ] as const)('recognize captions: %s', async ([, caption]) => {
    const content = plot(160, 460) + showText(caption.replace('–', '-'), { x: 180, y: 440 })
    expect((await read({ pages: [{ content }] })).figures).toHaveLength(1)
  })
})

describe('hostile pictures in a PDF', () => {
  const bomb = (width: number, height: number, bytes: number) => ({
    entries: `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
    data: deflateSync(Buffer.alloc(bytes)),
  })

  test.for([
    ['a picture that claims to have 60,000 × 60,000 pixels', bomb(60_000, 60_000, 100_000_000)],
    ['a truncated picture', { ...pictureObject(1), data: photograph(1).subarray(0, 300) }],
    ['data that is not a picture', { ...pictureObject(1), data: Buffer.from('<svg><script>alert(1)</script></svg>') }],
  ] as const)('%s harms neither the text nor the other pages', async ([, picture]) => {
    const content = above + show('P0', [150, 450, 300, 200]) + below
    const other = above + show('P1', [150, 450, 300, 200])
    const { pages, figures } = await read({
      pages: [{ content }, { content: other }],
      pictures: [picture, pictureObject(2)],
    })
    expect(pages[0]).toContain('Some words stand above')
    expect(pages[0]).toContain('Other words stand below')
    expect(pages[1]).toContain('](figure:')
    for (const { bytes } of figures) expect(sniffPicture(bytes)).not.toBeNull()
  })

  test('a few of 10,000 pictures on a page are kept, within the time limit', { timeout: 60_000 }, async () => {
    const pictures = Array.from({ length: 20 }, (_, n) => pictureObject(n, [60, 48]))
    const shown = Array.from({ length: 10_000 }, (_, n) =>
      show(`P${n % 20}`, [(n % 9) * 60, (Math.floor(n / 9) % 14) * 50, 45, 42]),
    )
    const { pages, figures } = await read({ pages: [{ content: above + shown.join('') }], pictures })
    expect(pages[0]).toContain('Some words stand above')
    expect(figures.length).toBeLessThanOrEqual(20)
  })

  test('a page of 30,000 drawn objects is not examined', async () => {
    const paths = '1 1 m 9 9 l S\n'.repeat(30_000)
    const content = paths + above + showText('Figure 1: Chaos', { x: 72, y: 600 })
    const { pages, figures } = await read({ pages: [{ content }] })
    expect([pages[0]?.includes('Figure 1: Chaos'), figures]).toEqual([true, []])
  })
})
