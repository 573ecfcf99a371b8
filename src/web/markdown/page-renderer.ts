import { LRUCache } from 'lru-cache'
import { createSlots } from '../../runtime/slots.ts'
import type { FigureAddress } from './parser.ts'
import { createRenderThread } from './render-thread.ts'

/** A page to render. */
export interface PageToRender {
  bookId: string
  version: number
  pageNum: number
  source: string
  math: boolean
  html: boolean
  mark: string
  /** The address of its figures; derived from `bookId`, `version` and `pageNum`. */
  figures?: FigureAddress | null
  /** True if a Markdown text begins with it. */
  startsText?: boolean
}

/** Why a page is shown as stored. */
export type Unrendered = 'too-long' | 'too-costly' | 'busy'

export interface RenderedPage {
  /** Sanitised; null if the page is shown as stored. */
  html: string | null
  reason?: Unrendered
}

export interface PageRenderer {
  /** Renders a page as HTML for a reader. Never throws; a page that cannot be rendered in time is shown as stored. */
  render(page: PageToRender, reader: { accountId: string; signal: AbortSignal }): Promise<RenderedPage>
}

/** Maximum length of a rendered page, UTF-16 units; longer pages are shown as stored. */
export const maxRenderedLength = 100_000
const maxHtmlLength = 2_000_000

interface RendererLimits {
  timeMs: number
  idleMs: number
  maxWaitMs: number
}

/** A typical page takes a few milliseconds. */
const defaultLimits: RendererLimits = { timeMs: 1000, idleMs: 5 * 60_000, maxWaitMs: 2000 }
const cacheBytes = 32 * 1024 * 1024
const cacheTtlMs = 30 * 60_000

/**
 * Renders pages in a separate thread, so that no page blocks other calls: one at a time, taking turns between readers.
 * Caches rendered pages by book, version, page and marked words, because a page of a version never changes. Also
 * remembers pages that were too costly, so that they are tried only once.
 */
export function createPageRenderer(limits: RendererLimits = defaultLimits): PageRenderer {
  const thread = createRenderThread(limits)
  const line = createSlots({ perKey: 1, total: 1, maxWaitingPerKey: 4, maxWaitMs: limits.maxWaitMs })
  const cache = new LRUCache<string, RenderedPage>({
    maxSize: cacheBytes,
    ttl: cacheTtlMs,
    sizeCalculation: ({ html }) => (html?.length ?? 0) * 2 + 300,
  })
  return {
    async render({ bookId, version, pageNum, mark, ...page }, { accountId, signal }) {
      const { source, math, html: tags, figures = null, startsText = false } = page
      if (source.length > maxRenderedLength) return { html: null, reason: 'too-long' }
      const key = JSON.stringify([bookId, version, pageNum, math, tags, mark])
      const known = cache.get(key)
      if (known) return known
      const release = await line.take(accountId, signal)
      if (release === null) return { html: null, reason: 'busy' }
      try {
        const meanwhile = cache.get(key)
        if (meanwhile) return meanwhile
        const html = await thread.render({ source, math, html: tags, mark, figures, startsText })
        const rendered: RenderedPage =
          html === null || html.length > maxHtmlLength ? { html: null, reason: 'too-costly' } : { html }
        cache.set(key, rendered)
        return rendered
      } finally {
        release()
      }
    },
  }
}
