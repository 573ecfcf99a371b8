import type { Book } from '../books/book.ts'
import { isComic } from '../books/file-formats.ts'
import type { Clock } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import type { Manifest } from '../reading/manifest.ts'
import type { StoredPage } from '../reading/cached-page.ts'
import type { ContentStores } from '../reading/store.ts'
import { isGarbled, lacksText, recountPage, type PageCounts } from '../text/page-counts.ts'
import type { ExtractedPage } from './formats/format.ts'
import type { JobStores } from './store.ts'
import { refsByFilePage } from './file-pages.ts'
import type { Ocr, OcrOutlook } from './ocr-service.ts'
import { revisionsOf } from './recognised-pages.ts'
import type { Recognition, RecognitionStores } from './ocr/recognition-store.ts'

export interface OcrServices extends RecognitionStores {
  /** Absent: no text recognition, so pages without text stay unchanged. */
  ocr?: Ocr
}

type Services = Clock & ContentStores & JobStores & OcrServices

/** The pages without usable text of a file that is being imported, and what happens to them. */
export interface PagesToRecognise {
  /**
   * Returns the pages to store. They include text that was recognised in an earlier import of the file, so that it is
   * not lost.
   */
  take(pages: readonly ExtractedPage[], firstPage: number): Promise<Omit<StoredPage, 'id'>[]>
  /** The page counts of the book, including that text. */
  recount(counts: PageCounts): PageCounts
  /** What the owner can expect of text recognition for these pages. */
  outlook(): OcrOutlook
  /**
   * Schedules recognition of the pages for when the book is published, and ends an earlier recognition of the book.
   * `counts` are those of the whole book.
   */
  plan(counts: PageCounts): Promise<void>
}

/** Collects the pages without usable text during an import. */
export function collectPagesToRecognise(services: Services, book: Book): PagesToRecognise {
  const found: { page: number; garbled: boolean }[] = []
  const kept: { before: ExtractedPage; content: string }[] = []
  const former = formerText(services, book)
  const { recogniser = 'off', maxPages = 0 } = services.ocr ?? {}
  const isReady = typeof recogniser !== 'string'
  const total = () => Math.min(found.length, maxPages)
  return {
    async take(pages, firstPage) {
      if (!hasPictures(book)) return pages.map(({ content, label }) => ({ content, label }))
      const stored: Omit<StoredPage, 'id'>[] = []
      for (const [index, page] of pages.entries()) {
        const { content, label } = page
        const needsRecognition = lacksText(page)
        if (needsRecognition) found.push({ page: firstPage + index, garbled: isGarbled(page) })
        const recognised = needsRecognition ? await former(firstPage + index) : null
        if (recognised) kept.push({ before: page, content: recognised.content })
        stored.push(recognised ? { content: recognised.content, label, ocr: recognised.ocr } : { content, label })
      }
      return stored
    },
    recount: (counts) =>
      kept.reduce(
        (sum, { before, content }) => recountPage(sum, { before, after: { content, picture: false, garbled: 0 } }),
        counts,
      ),
    outlook() {
      if (!isReady) return { state: recogniser }
      return total() > 0
        ? { state: 'pending', done: 0, total: total() }
        : { state: 'done', skipped: found.length, stopped: null }
    },
    async plan(counts) {
      const earlier = await services.recognitions.byItem(book.ownerId, book.id)
      const isUnfinished = earlier !== null && earlier.status !== 'DONE'
      if (!isUnfinished && (!isReady || found.length === 0)) return
      const pages = isReady ? found.slice(0, maxPages) : []
      const recognition = newRecognition(book, { pages, counts, earlier, at: services.now() })
      await services.recognitions.put({ ...recognition, skipped: found.length - pages.length })
      await services.turns.join(book.ownerId, 'ocr')
    },
  }
}

/** True if the pages of a book's file are or may be pictures. */
function hasPictures(book: Book): boolean {
  return book.sourceType === 'pdf' || isComic(book)
}

/** The recognised text of a page of the file in the current version; null if there is none. */
function formerText({ contents }: Services, { id, version }: Book) {
  let loading: Promise<ReturnType<typeof refsByFilePage>> | null = null
  const load = async () => {
    const manifest: Manifest | null = version > 0 ? await contents.getManifest(id, version) : null
    return manifest ? refsByFilePage(manifest) : new Map<never, never>()
  }
  return async (page: number): Promise<{ content: string; ocr: number } | null> => {
    const ref = (await (loading ??= load())).get(page)
    const [stored] = ref ? await contents.passPages([ref]) : []
    return stored?.ocr === undefined ? null : { content: stored.content, ocr: stored.ocr }
  }
}

interface NewRecognition {
  pages: readonly { page: number; garbled: boolean }[]
  counts: PageCounts
  earlier: Recognition | null
  at: Date
}

function newRecognition(book: Book, { pages, counts, earlier, at }: NewRecognition): Recognition {
  return {
    itemId: book.id,
    accountId: book.ownerId,
    runId: newId(),
    status: 'WAITING',
    waiting: pages.map(({ page }) => page),
    garbled: pages.filter(({ garbled }) => garbled).map(({ page }) => page),
    pending: [],
    total: pages.length,
    done: 0,
    recognised: 0,
    skipped: 0,
    stopped: null,
    counts,
    language: null,
    publications: 0,
    publishedAt: at,
    stale: earlier ? [...earlier.stale, ...revisionsOf(earlier)] : [],
    attempts: 0,
    claims: 0,
    fence: null,
    leaseUntil: null,
    createdAt: at,
    updatedAt: at,
  }
}
