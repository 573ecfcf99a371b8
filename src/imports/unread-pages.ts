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
  /** Absent: pages without text stay as they are. */
  ocr?: Ocr
}

type Services = Clock & ContentStores & JobStores & OcrServices

/** The pages of a file that is being imported whose text cannot be used, and what becomes of them. */
export interface UnreadPages {
  /** Pages as they are to be stored: with what was recognised of them before, so that nobody loses it when the file is read again. */
  take(pages: readonly ExtractedPage[], firstPage: number): Promise<Omit<StoredPage, 'id'>[]>
  /** The counts of the book with that text. */
  recount(counts: PageCounts): PageCounts
  outlook(): OcrOutlook
  /** Has them recognised once the book is published; ends an earlier recognition of the book. `counts` are those of the whole book. */
  plan(counts: PageCounts): Promise<void>
}

/** Collects the pages without usable text while a book is imported. */
export function collectUnreadPages(services: Services, book: Book): UnreadPages {
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
        const unread = lacksText(page)
        if (unread) found.push({ page: firstPage + index, garbled: isGarbled(page) })
        const recognised = unread ? await former(firstPage + index) : null
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
      await services.importTurns.join(book.ownerId, 'ocr')
    },
  }
}

/** Whether the pages of a book's file are pictures, or may be. */
function hasPictures(book: Book): boolean {
  return book.sourceType === 'pdf' || isComic(book)
}

/** What was recognised of a page of the file in the current version; null when nothing was. */
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
