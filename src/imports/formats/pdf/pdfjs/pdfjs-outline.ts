import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { OutlineNode } from '../page/pdf-file.ts'
import { cleanText } from '../characters/text.ts'

/** Limits of an outline. A hostile file can nest or repeat entries endlessly. */
const maxEntries = 20_000
const maxDepth = 32

interface RawNode {
  title: string
  dest: string | unknown[] | null
  items: RawNode[]
}

/** The outline of a document. Destinations (explicit, named or through a GoTo action) are resolved on demand. */
export async function readOutline(document: PDFDocumentProxy): Promise<OutlineNode[]> {
  const raw: RawNode[] | null = await document.getOutline()
  const pageNumbers = new Map<string, Promise<number | null>>()
  const result: OutlineNode[] = []
  const walk = (nodes: readonly RawNode[], level: number): void => {
    for (const { title: rawTitle, dest, items } of nodes) {
      if (result.length >= maxEntries) return
      const title = cleanText(rawTitle).replace(/\s+/g, ' ').trim()
      if (title !== '') result.push({ title, level, page: () => resolvePage(document, dest, pageNumbers) })
      if (level < maxDepth) walk(items, title === '' ? level : level + 1)
    }
  }
  walk(raw ?? [], 1)
  return result
}

/** The page of a destination, from 1; null if it does not exist. `pageNumbers` caches pages that were looked up. */
export async function resolvePage(
  document: PDFDocumentProxy,
  dest: string | unknown[] | null,
  pageNumbers: Map<string, Promise<number | null>>,
): Promise<number | null> {
  try {
    const destination = typeof dest === 'string' ? await document.getDestination(dest) : dest
    const target: unknown = destination?.[0]
    if (typeof target === 'number') return toPageNumber(document, target)
    if (!isRef(target)) return null
    const key = `${target.num} ${target.gen}`
    const found = pageNumbers.get(key) ?? document.getPageIndex(target).then((index) => toPageNumber(document, index))
    pageNumbers.set(key, found)
    return await found
  } catch {
    return null // a broken destination affects only this entry
  }
}

function toPageNumber(document: PDFDocumentProxy, index: number): number | null {
  return Number.isInteger(index) && index >= 0 && index < document.numPages ? index + 1 : null
}

function isRef(value: unknown): value is { num: number; gen: number } {
  return typeof value === 'object' && value !== null && 'num' in value && 'gen' in value
}
