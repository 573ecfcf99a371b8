import JSZip from 'jszip'
import { beforeAll, expect, test } from 'vitest'
import { openDrawablePdf } from '../../../src/imports/formats/pdf/draw-pages.ts'
import { encodeJpeg } from '../../../src/imports/formats/picture/encode-jpeg.ts'
import { prosePdf, proseScan, quickTimes, recognitionEnded } from '../../support/recognition.ts'
import { showText, writePdf } from '../../support/pdf.ts'
import type { Person } from '../../support/server.ts'
import { describeWith, tesseractNeed } from '../../support/system-needs.ts'
import { transports } from '../../support/transports.ts'
import { callOverRest, findListedItem, importFile, waitForJobEnd } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const lighthouse = [
  'The keeper of the lighthouse wrote down the weather every',
  'morning. In forty years he missed two days: the day of his',
  'wedding, and the day on which the lamp was carried up the win-',
  'ding stairs. His notebooks are kept in the town museum.',
]
const harbour = [
  'The harbour was built of granite blocks, each as heavy as an',
  'elephant. Fishermen sold herring on the quay before sunrise.',
]
const german = [
  'Der alte Leuchtturm steht auf einer felsigen Insel vor der',
  'Mündung des Flusses. Jeden Abend zündete der Wärter die große',
  'Lampe an, damit die Schiffe den Weg in den Hafen fänden.',
]

/** Recognition runs at the lowest priority, which is slow on a busy machine; ms. */
const timeout = 240_000

describeWith(tesseractNeed)('a scanned book', { timeout }, () => {
  const server = useTestServer({ LECTERN_OCR: 'on', LECTERN_OCR_PAGES: '2' }, { recognition: quickTimes })
  let person: Person

  // Each account has its own drawing processes.
  beforeAll(async () => {
    person = await server.createPerson()
  })

  const importScan = async (bytes: Uint8Array, filename = 'scan.pdf') => {
    const { itemId, job } = await importFile(server, person, { filename, bytes })
    expect(job.status).toBe('SUCCEEDED')
    return itemId
  }
  const readPages = async (itemId: string) => {
    const { body } = await callOverRest(server, person, 'read_items', { items: [{ id: itemId }] })
    return body.items[0] as { pages: { content: string; ocr?: { confidence: number } }[]; healthReason: string | null }
  }

  let skewed: Promise<string> | undefined
  const importSkewed = async () => {
    const itemId = await importScan(await proseScan([lighthouse, harbour], 'skewed'))
    await recognitionEnded(server, person.id, itemId)
    return itemId
  }

  test.for(transports)(
    'can be read and searched over %s, and says that its text was recognised',
    async ([, transport]) => {
      const itemId = await (skewed ??= importSkewed())
      const { body } = await transport.call(server, person, 'read_items', { items: [{ id: itemId }] })
      const [book] = body.items
      expect(book).toMatchObject({ health: 'ok', healthReason: null, pageCount: 2 })
      expect(book.pages[0].content).toContain(
        'carried up the winding stairs. His notebooks are kept in the town museum.',
      )
      expect(book.pages[1].content).toMatch(/^The harbour was built of granite blocks, each as heavy as an elephant\./)
      for (const page of book.pages) expect(page.ocr.confidence).toBeGreaterThan(85)
      const found = await transport.call(server, person, 'search_items', { query: 'herring on the quay' })
      expect(JSON.stringify(found.body)).toContain(itemId)
    },
  )

  test('of pictures in a comic archive keeps them before their text', async () => {
    const pdf = await openDrawablePdf(prosePdf([lighthouse]))
    const zip = new JSZip()
    zip.file('1.jpg', encodeJpeg(await pdf.draw(1, 1600), { quality: 80, grey: true }))
    pdf.close()
    const bytes = await zip.generateAsync({ type: 'nodebuffer' })
    const contentType = 'application/vnd.comicbook+zip'
    const { itemId } = await importFile(server, person, { filename: 'scan.cbz', bytes, contentType })
    await recognitionEnded(server, person.id, itemId)
    const { pages, healthReason } = await readPages(itemId)
    expect(pages[0]?.content).toMatch(/^!\[\]\(figure:[0-9a-f]{16}\)\n\n[^]*The keeper of the lighthouse/)
    expect(pages[0]?.ocr?.confidence).toBeGreaterThan(80)
    expect(healthReason).toBeNull()
  })

  test('keeps pages with text from the file unchanged, without a mark', async () => {
    const mixed = writePdf({
      pages: [
        { content: lighthouse.map((line, at) => showText(line, { x: 72, y: 700 - 18 * at })).join('\n') },
        { content: 'q 612 0 0 792 0 0 cm /Im Do Q' },
      ],
    })
    const itemId = await importScan(mixed, 'mixed.pdf')
    const { recognised, done } = await recognitionEnded(server, person.id, itemId)
    expect({ recognised, done }).toEqual({ recognised: 0, done: 1 })
    const { pages } = await readPages(itemId)
    expect(pages[0]?.content).toContain('The keeper of the lighthouse')
    expect(pages.map(({ ocr }) => ocr)).toEqual([undefined, undefined])
  })

  test('is rotated if its pages are not upright', async () => {
    const itemId = await importScan(await proseScan([lighthouse, lighthouse], 'turned'))
    await recognitionEnded(server, person.id, itemId)
    const { pages } = await readPages(itemId)
    for (const { content } of pages) expect(content).toContain('forty years he missed two days')
  })

  test('is read in its own language, which the file does not declare', async () => {
    const itemId = await importScan(await proseScan([german], 'noisy'))
    await recognitionEnded(server, person.id, itemId)
    const { pages } = await readPages(itemId)
    expect(pages[0]?.content).toContain('Mündung des Flusses. Jeden Abend zündete der Wärter die')
  })

  test('with fonts that do not map to letters is read from its pictures', async () => {
    const lines = lighthouse.map((line, at) => showText(line, { x: 72, y: 700 - 18 * at, size: 12, font: 'F4' }))
    const itemId = await importScan(writePdf({ pages: [{ content: lines.join('\n') }] }), 'garbled.pdf')
    await recognitionEnded(server, person.id, itemId)
    const { pages } = await readPages(itemId)
    expect(pages[0]?.content).toContain('His notebooks are kept in the town museum.')
    expect((await findListedItem(server, person, itemId))?.health).toBe('ok')
  })

  test('has one version for each batch of recognised text, without an author', async () => {
    const itemId = await importScan(await proseScan([harbour]))
    await recognitionEnded(server, person.id, itemId)
    const { body } = await callOverRest(server, person, 'list_item_versions', { id: itemId })
    expect(body.versions.map(({ reason }: { reason: string }) => reason)).toEqual(['import'])
    const { contents } = server.running.opened.services
    expect(await contents.getManifest(itemId, 2)).toMatchObject({ reason: 'ocr', client: null, jobId: null })
  })

  test('keeps its recognised text while its file is imported again, and gets no version if nothing changes', async () => {
    const itemId = await importScan(await proseScan([lighthouse]))
    await recognitionEnded(server, person.id, itemId)
    const before = await readPages(itemId)
    const { body } = await callOverRest(server, person, 'reprocess_item', { itemId })
    await waitForJobEnd(server, person, body.job.id)
    expect((await readPages(itemId)).pages).toEqual(before.pages)
    const again = await recognitionEnded(server, person.id, itemId)
    expect(again.total).toBe(1)
    expect((await readPages(itemId)).pages).toEqual(before.pages)
    const { body: history } = await callOverRest(server, person, 'list_item_versions', { id: itemId })
    expect(history.versions).toHaveLength(1)
  })

  test('with more pages than the limit says so', async () => {
    const itemId = await importScan(await proseScan(Array.from({ length: 5 }, () => harbour)))
    const { skipped, recognised } = await recognitionEnded(server, person.id, itemId)
    expect({ skipped, recognised }).toEqual({ skipped: 3, recognised: 2 })
    const item = await findListedItem(server, person, itemId)
    expect(item?.health).not.toBe('ok')
    expect(item?.healthReason).toMatch(/left out 3 pages beyond the limit of this server; upload the file in parts/)
  })

  test('without a single letter stays unchanged, and says that it has no text', async () => {
    const itemId = await importScan(await proseScan([[]]), 'empty.pdf')
    const { recognised } = await recognitionEnded(server, person.id, itemId)
    expect(recognised).toBe(0)
    expect(await findListedItem(server, person, itemId)).toMatchObject({
      health: 'empty',
      healthReason: expect.stringMatching(/found no text there; upload a clearer scan/),
    })
  })

  test('leaves nothing behind if it is deleted during recognition', async () => {
    const itemId = await importScan(await proseScan([lighthouse, harbour, german]))
    await callOverRest(server, person, 'delete_items', { ids: [itemId] })
    await expect.poll(() => server.running.opened.services.recognitions.byItem(person.id, itemId)).toBeNull()
  })

  test('is not recognised if all text is in the file', async () => {
    const itemId = await importScan(prosePdf([lighthouse, harbour]), 'text.pdf')
    expect(await server.running.opened.services.recognitions.byItem(person.id, itemId)).toBeNull()
  })
})
