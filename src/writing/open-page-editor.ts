import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { findWritableBook } from '../books/find-book.ts'
import type { PublicationStores } from '../books/publication.ts'
import { maxContentBytes } from '../books/schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { Manifest } from '../reading/manifest.ts'
import { pageRefs, type ContentStores } from '../reading/store.ts'
import { frontMatterEnd } from '../text/markdown/front-matter.ts'
import type { Draft, DraftStores } from './draft-store.ts'
import { loadPageTexts } from './load-page-texts.ts'
import { listPageChanges, type PageChange } from './page-changes.ts'
import { requireEditable } from './require-editable.ts'

type EditorStores = Call & BookAccessStores & PublicationStores & ContentStores & PublicAddress

/** A Markdown book that the caller may write, with its current version. */
export interface EditableBook {
  book: AccessibleBook
  manifest: Manifest
}

/**
 * Opens a book for editing, for its owner and for writers of its teams. Refuses like the writing tools: NOT_FOUND,
 * FORBIDDEN, ITEM_NOT_EDITABLE, ITEM_LOCKED. Costs no read.
 */
export async function openForEditing(ctx: EditorStores, id: string): Promise<EditableBook> {
  const book = await findWritableBook(ctx, id, requireEditable)
  const manifest = await ctx.contents.getManifest(id, book.version)
  if (!manifest) throw new Error(`Version ${book.version} of book ${id} is missing in the store`)
  return { book, manifest }
}

/** A page for editing. */
export interface EditablePage extends EditableBook {
  pageNum: number
  /** Its text; null if the book has no such page, or if the page is too large to be saved at once. */
  text: string | null
  /** Size of its text in UTF-8 bytes. */
  bytes: number
  draft: Draft | null
  changes: PageChange[]
}

const shownChanges = 5

/**
 * Opens a page of the current version with the caller's draft and its latest changes. Refuses like `openForEditing`.
 */
export async function openPageEditor(
  ctx: EditorStores & DraftStores,
  { id, pageNum }: { id: string; pageNum: number },
): Promise<EditablePage> {
  const opened = await openForEditing(ctx, id)
  const { book, manifest } = opened
  const request = { pageNum, version: manifest.version, limit: shownChanges }
  const exists = pageNum <= manifest.pageCount
  const [[text = null], changes, draft] = await Promise.all([
    exists ? loadPageTexts(ctx, manifest, { from: pageNum, to: pageNum }) : [],
    exists ? listPageChanges(ctx, book, request) : [],
    ctx.drafts.find({ accountId: ctx.actor.id, itemId: id, place: String(pageNum) }),
  ])
  const bytes = Buffer.byteLength(text ?? '')
  return { ...opened, pageNum, text: bytes > maxContentBytes ? null : text, bytes, draft, changes }
}

/** A page in the list of editable pages. */
export interface ListedPage {
  pageNum: number
  /** Its heading, or its first line of text; empty for a page without text. */
  firstLine: string
}

/** A part of the list of a book's pages. */
export interface ListedPages extends EditableBook {
  pages: ListedPage[]
  /** The first page of the next part; null at the end. */
  nextFrom: number | null
}

/** Number of pages in one part of the list. */
const pagesInPart = 100

/** Lists the pages from `from` on with their first lines. Reads only the text of pages without a heading. */
export async function listEditablePages(
  ctx: EditorStores,
  { id, from }: { id: string; from: number },
): Promise<ListedPages> {
  const opened = await openForEditing(ctx, id)
  const { manifest } = opened
  const last = Math.min(manifest.pageCount, from + pagesInPart - 1)
  const headings = new Map(
    manifest.toc.filter(({ level }) => level === 1).map(({ page, title }) => [page, title] as [number, string]),
  )
  const unnamed = [...pageRefs(manifest, from, last)].filter(({ pageNum }) => !headings.has(pageNum))
  const texts = unnamed.length > 0 ? await ctx.contents.passPages(unnamed) : []
  const firstLines = new Map(
    unnamed.map(({ pageNum }, index) => [pageNum, firstLineOf(pageNum, texts[index]?.content ?? '')]),
  )
  const pages = Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => {
    const pageNum = from + index
    return { pageNum, firstLine: headings.get(pageNum) ?? firstLines.get(pageNum) ?? '' }
  })
  return { ...opened, pages, nextFrom: last < manifest.pageCount ? last + 1 : null }
}

const maxFirstLine = 120

function firstLineOf(pageNum: number, page: string): string {
  const start = pageNum === 1 ? frontMatterEnd(page) : 0
  const line = /\S[^\r\n]*/.exec(page.slice(start, start + 2000))?.[0] ?? ''
  if (line === '' && start > 0) return 'Front matter'
  const characters = Array.from(line)
  return characters.length <= maxFirstLine ? line : `${characters.slice(0, maxFirstLine).join('')}…`
}
