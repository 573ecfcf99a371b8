import { expect, test } from 'vitest'
import { useTestServer } from '../support/use-test-server.ts'
import { createManualWorker, uploadScript } from '../support/manual-worker.ts'
import { findListedItem } from '../support/uploads.ts'
import type { Book } from '../../src/books/book.ts'
import { ExtractionError, type ExtractionErrorCode } from '../../src/imports/extract/extraction-error.ts'
import { retryWithoutFigures, type FigureReading } from '../../src/imports/retry-without-figures.ts'

/** Reads a book whose figures end the process with `code`. Returns how it was read and what was removed. */
async function readWith(code: ExtractionErrorCode, { sourceType = 'pdf', signal = new AbortController().signal } = {}) {
  const attempts: FigureReading[] = []
  const discarded: string[] = []
  const book = { id: 'book', ownerId: 'owner', sourceType } as Book
  const services = {
    contents: { discardPages: async (_: string, revision: string) => void discarded.push(revision) },
    books: { findOwned: async () => [] },
    log: { warn: () => undefined },
  }
  const outcome = await retryWithoutFigures(
    services as never,
    { book, job: { id: 'job', attempts: 2 } as never, signal },
    async (figures) => {
      attempts.push(figures)
      if (figures === 'with figures') throw new ExtractionError(code, 'a picture did it')
      return 'text'
    },
  ).catch((error: ExtractionError) => error.code)
  return { outcome, attempts, discarded }
}

test.for(['OUT_OF_MEMORY', 'TIMED_OUT', 'CRASHED'] as const)(
  'a book whose pictures end its process with %s is read again without them, from the start',
  async (code) => {
    expect(await readWith(code)).toEqual({
      outcome: 'text',
      attempts: ['with figures', 'figures left out'],
      discarded: ['job-2'],
    })
  },
)

test.for(['ENCRYPTED', 'BROKEN', 'TOO_LARGE', 'STORAGE_FULL', 'CANCELLED'] as const)(
  'a book that fails with %s is not read again',
  async (code) => {
    expect(await readWith(code)).toEqual({ outcome: code, attempts: ['with figures'], discarded: [] })
  },
)

test('a book whose worker has lost its job is not read again', async () => {
  expect(await readWith('CRASHED', { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'CRASHED' })
})

test('Markdown is read once, without figures', async () => {
  expect(await readWith('CRASHED', { sourceType: 'markdown' })).toEqual({
    outcome: 'text',
    attempts: ['without figures'],
    discarded: [],
  })
})

const server = useTestServer({ LECTERN_ROLE: 'web' })

test('a book without its figures says so', async () => {
  const person = await server.createPerson()
  const worker = createManualWorker(server)
  const steps = [{ do: 'pages', count: 2 }, { do: 'abort over figures' }, { do: 'pages', count: 1 }] as const
  const { itemId, jobId } = await uploadScript(server, person, { steps: [...steps] }, 'script.txt')
  await worker.run(jobId)
  expect(await findListedItem(server, person, itemId)).toMatchObject({
    status: 'READY',
    pageCount: 3,
    health: 'ok',
    healthReason: expect.stringMatching(/^The figures were left out, .* reprocess the book to try again\.$/),
  })
})
