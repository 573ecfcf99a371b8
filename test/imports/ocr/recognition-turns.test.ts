import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../../../src/app/log.ts'
import { newId } from '../../../src/core/ids.ts'
import type { PageToRead, ReadText, Recogniser } from '../../../src/imports/ocr/recogniser.ts'
import { requeueWaiting } from '../../../src/imports/ocr/recognition-worker.ts'
import { runNextRecognition, type RecognitionServices } from '../../../src/imports/ocr/run-recognition.ts'
import { RecognitionError } from '../../../src/imports/ocr/run-tesseract.ts'
import { runImport } from '../../../src/imports/run-import.ts'
import { showText, writePdf } from '../../support/pdf.ts'
import type { Person } from '../../support/server.ts'
import { shareExtractor } from '../../support/shared-extractor.ts'
import { addFile, callOverRest, findListedItem, readPageTexts } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

/** Longer than the time between two heartbeats on a busy machine, ms. */
const leaseMs = 1500
const times = { sliceMs: 60_000, publishAfterMs: 60_000 }
const scan = { content: 'q 612 0 0 792 0 0 cm /Im Do Q' }
const title = (name: string) => ({
  content: showText(`The book called ${name} begins on this page, which has text.`, { x: 72, y: 700 }),
})

/** A recogniser with scripted results. It records which pages it was asked for. */
function scriptedRecogniser(read: (page: PageToRead) => Promise<Partial<ReadText>> | Partial<ReadText> = () => ({})) {
  const pages: string[] = []
  const recogniser: Recogniser = {
    languages: ['eng'],
    async read(page) {
      pages.push(`${page.accountId} ${page.page}`)
      const content = `recognised words of page ${page.page}`
      return { content, confidence: 91, words: 5, evidence: 1000, language: 'eng', ...(await read(page)) }
    },
    pids: () => [],
    close: async () => undefined,
  }
  return { recogniser, pages }
}

describe('recognition of pages', { timeout: 60_000 }, () => {
  // The server has no worker; the test does its work.
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let bookCount = 0
  let person: Person

  beforeEach(async () => {
    person = await server.createPerson()
  })

  const servicesWith = (recogniser: Recogniser): RecognitionServices => ({
    ...server.running.opened.services,
    recogniser,
    log: createLog('silent'),
    leaseDurationMs: leaseMs,
  })
  const workAgain = async (recogniser: Recogniser) => {
    await requeueWaiting(server.running.opened.services)
    return work(recogniser)
  }
  const work = (
    recogniser: Recogniser,
    change: Partial<RecognitionServices> & Partial<typeof times> = {},
    stop = new AbortController().signal,
  ) => runNextRecognition({ ...servicesWith(recogniser), ...change }, { ...times, ...change }, stop)
  const rowOf = (itemId: string, owner = person) => server.running.opened.services.recognitions.byItem(owner.id, itemId)

  const extractor = shareExtractor()
  afterAll(() => extractor.close())

  const runJob = async (jobId: string) => {
    const ocr = { recogniser: scriptedRecogniser().recogniser, maxPages: 100 }
    const { notifications, importPasswords } = server.running.opened.services
    const services = { ...servicesWith(ocr.recogniser), notifications, importPasswords, extractor, ocr }
    await runImport(services, jobId)
  }
  /** Adds a book with a page of text, followed by `scans` scanned pages. */
  const importScans = async (scans: number, owner = person): Promise<string> => {
    const pages = [title(`number ${(bookCount += 1)}`), ...Array.from({ length: scans }, () => scan)]
    const file = { filename: 'scan.pdf', bytes: writePdf({ pages }) }
    const { itemId, jobId } = await addFile(server, owner, file)
    await runJob(jobId)
    return itemId
  }

  test('adds text to pages without it, and keeps text from the file', async () => {
    const itemId = await importScans(2)
    expect((await findListedItem(server, person, itemId))?.healthReason).toMatch(/has read 0 of the 2 pages/)
    expect(await work(scriptedRecogniser().recogniser)).toBe(true)
    const [first, ...others] = await readPageTexts(server, person, itemId)
    expect(first).toContain('begins on this page')
    expect(others).toEqual(['recognised words of page 2', 'recognised words of page 3'])
    expect(await rowOf(itemId)).toMatchObject({ status: 'DONE', done: 2, recognised: 2, waiting: [], language: 'eng' })
    expect(await work(scriptedRecogniser().recogniser)).toBe(false)
  })

  test('lets accounts take turns, however many books one of them has', async () => {
    const other = await server.createPerson()
    for (let n = 0; n < 3; n++) await importScans(2)
    await importScans(2, other)
    const { recogniser, pages } = scriptedRecogniser()
    while (await work(recogniser, { sliceMs: 0 }));
    expect(pages).toHaveLength(8)
    const places = pages.flatMap((page, at) => (page.startsWith(other.id) ? [at] : []))
    expect(Math.max(...places)).toBeLessThan(5)
  })

  test('continues after a worker died, and reads no page twice', async () => {
    const itemId = await importScans(3)
    const dying = scriptedRecogniser(({ page }) =>
      page === 3 ? Promise.reject(new Error('the process was killed')) : {},
    )
    await expect(work(dying.recogniser)).rejects.toThrow('the process was killed')
    const { recogniser, pages } = scriptedRecogniser()
    expect(await work(recogniser)).toBe(false)
    await expect.poll(() => workAgain(recogniser), { timeout: 20_000 }).toBe(true)
    expect(pages).toEqual([`${person.id} 3`, `${person.id} 4`])
    expect((await readPageTexts(server, person, itemId)).slice(1)).toEqual([
      'recognised words of page 2',
      'recognised words of page 3',
      'recognised words of page 4',
    ])
  })

  test('skips a page on which workers die repeatedly', async () => {
    const itemId = await importScans(2)
    const dying = scriptedRecogniser(({ page }) => (page === 2 ? Promise.reject(new Error('killed')) : {}))
    const tries = async () => {
      await workAgain(dying.recogniser).catch(() => false)
      return (await rowOf(itemId))?.status
    }
    await expect.poll(tries, { timeout: 25_000, interval: 100 }).toBe('DONE')
    expect(dying.pages.filter((page) => page.endsWith(' 2'))).toHaveLength(3)
    expect((await readPageTexts(server, person, itemId)).slice(1)).toEqual(['', 'recognised words of page 3'])
  })

  test.for([
    ['cannot be read', () => Promise.reject(new RecognitionError('too much memory'))],
    ['has no words', () => ({ words: 0, content: '' })],
    ['is read with too little confidence', () => ({ confidence: 20 })],
  ] as const)('leaves a page unchanged that %s', async ([, read]) => {
    const itemId = await importScans(1)
    await work(scriptedRecogniser(read).recogniser)
    expect((await readPageTexts(server, person, itemId))[1]).toBe('')
    expect(await rowOf(itemId)).toMatchObject({ status: 'DONE', done: 1, recognised: 0 })
  })

  test('publishes its pages before the book is complete', async () => {
    const itemId = await importScans(2)
    const seen: string[] = []
    const { recogniser } = scriptedRecogniser(async ({ page }) => {
      if (page === 3) seen.push(...(await readPageTexts(server, person, itemId)))
      return {}
    })
    await work(recogniser, { publishAfterMs: 0 })
    expect(seen[1]).toBe('recognised words of page 2')
    // The list of earlier versions does not contain the current one.
    const { body } = await callOverRest(server, person, 'list_item_versions', { id: itemId })
    expect(body.versions.map(({ reason }: { reason: string }) => reason)).toEqual(['ocr', 'import'])
    expect((await readPageTexts(server, person, itemId))[2]).toBe('recognised words of page 3')
  })

  test('ends if the file is imported again, restarts, and keeps the text in the meantime', async () => {
    const itemId = await importScans(2)
    const { recogniser } = scriptedRecogniser(async ({ page }) => {
      if (page === 3) {
        const { body } = await callOverRest(server, person, 'reprocess_item', { itemId })
        await runJob(body.job.id)
      }
      return {}
    })
    await work(recogniser, { publishAfterMs: 0 })
    expect(await readPageTexts(server, person, itemId)).toContain('recognised words of page 2')
    const again = scriptedRecogniser(({ page }) => ({ content: `better words of page ${page}` }))
    await work(again.recogniser)
    expect(again.pages).toHaveLength(2)
    const texts = await readPageTexts(server, person, itemId)
    expect(texts.slice(1)).toEqual(['better words of page 2', 'better words of page 3'])
  })

  test('never changes a page that was rewritten in the meantime', async () => {
    const itemId = await importScans(2)
    const { contents, books } = server.running.opened.services
    const base = await contents.getManifest(itemId, 1)
    if (!base) throw new Error('the book has no version')
    await contents.writePages(itemId, 'written', {
      first: 0,
      pages: [{ content: 'what its owner wrote', label: null }],
    })
    const [run] = base.runs
    if (!run) throw new Error('the version has no pages')
    const runs = [
      { ...run, count: 1 },
      { revision: 'written', start: 0, count: 1 },
      { ...run, start: 2, count: 1 },
    ]
    await contents.seal({
      ...base,
      version: 2,
      runs,
      reason: 'page',
      jobId: null,
      bytes: base.bytes + 20,
      ownBytes: 20,
    })
    await books.change(person.id, itemId, { set: { version: 2 }, addStoredBytes: 20 })
    await work(scriptedRecogniser().recogniser)
    expect((await readPageTexts(server, person, itemId)).slice(1)).toEqual([
      'what its owner wrote',
      'recognised words of page 3',
    ])
  })

  test('ends if the book is deleted', async () => {
    const itemId = await importScans(2)
    const { recogniser, pages } = scriptedRecogniser(async () => {
      await callOverRest(server, person, 'delete_items', { ids: [itemId] })
      return {}
    })
    await work(recogniser, { publishAfterMs: 0 })
    expect(pages).toHaveLength(1)
    expect(await rowOf(itemId)).toBeNull()
  })

  test('releases its book at once when the server stops', async () => {
    const itemId = await importScans(2)
    const stop = new AbortController()
    const { recogniser } = scriptedRecogniser(({ signal }) => {
      stop.abort(new Error('the server stops'))
      signal?.throwIfAborted()
      return {}
    })
    await work(recogniser, {}, stop.signal)
    expect(await rowOf(itemId)).toMatchObject({ status: 'WAITING', done: 0 })
    expect(await work(scriptedRecogniser().recogniser)).toBe(true)
    expect(await rowOf(itemId)).toMatchObject({ status: 'DONE', recognised: 2 })
  })

  test('ends for a book that was never published', async () => {
    const itemId = newId()
    const { recognitions, turns } = server.running.opened.services
    const finished = await importScans(1)
    await work(scriptedRecogniser().recogniser)
    const row = await rowOf(finished)
    if (!row) throw new Error('there is no recognition')
    await recognitions.put({ ...row, itemId, status: 'WAITING' })
    await turns.join(person.id, 'ocr')
    const { recogniser, pages } = scriptedRecogniser()
    await work(recogniser)
    expect(pages).toEqual([])
    expect(await rowOf(itemId)).toBeNull()
  })
})
