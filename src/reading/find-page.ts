import type { BookAccessStores } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { openVersion } from './open-version.ts'
import type { ContentStores } from './store.ts'

/** A page that was looked up by a number. */
export interface FoundPage {
  pageNum: number
  version: number
  /** The printed number that matched; null if the page number matched. */
  label: string | null
}

/**
 * The page for a number: its position in the book, as in citations, otherwise the number printed on it, such as `xii`.
 * With the prefix `p.`, the printed number takes precedence. Refuses a number that matches neither with NOT_FOUND.
 * Charges no read.
 */
export async function findPage(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  { id, version, page }: { id: string; version?: number | undefined; page: string },
): Promise<FoundPage> {
  const { manifest } = await openVersion(ctx, id, version)
  const [, printed = '', text = ''] = /^\s*(p(?:\.\s*|\s+|(?=\d)))?([^\s].{0,19}?)\s*$/isu.exec(page) ?? []
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
  const byPlace = number >= 1 && number <= manifest.pageCount ? number : null
  if (byPlace !== null && printed === '') return { pageNum: byPlace, version: manifest.version, label: null }
  const byLabel = text === '' ? null : await ctx.contents.findLabel(manifest, text)
  if (byLabel !== null) return { pageNum: byLabel, version: manifest.version, label: text }
  if (byPlace !== null) return { pageNum: byPlace, version: manifest.version, label: null }
  throw new AppError(
    'NOT_FOUND',
    `There is no page ${text === '' ? 'without a number' : `“${text}”`}: the pages are 1 to ${manifest.pageCount}.`,
  )
}
