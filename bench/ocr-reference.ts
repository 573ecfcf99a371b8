/** The reference for `import-ocr.ts`: the text of a page in its file, as two programs read it, and how to score against it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type WordCounts = ReadonlyMap<string, number>

/** Counts the words of a text, without hyphens at line ends. */
export function countWords(text: string): WordCounts {
  const joined = text.normalize('NFKC').replaceAll(/[-\u2010\u00ad]\n/g, '')
  const counts = new Map<string, number>()
  for (const [word] of joined.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** How many words a text has. */
export function sizeOf(counts: WordCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** Words that were found, and those that were lost and found too often. */
export interface Comparison {
  common: number
  lost: readonly string[]
  extra: readonly string[]
}

/**
 * Compares words in any order with readings of the same page. Where the readings differ in the number of a word, each
 * number between them is right.
 */
export function compareWords(found: WordCounts, readings: readonly WordCounts[]): Comparison {
  const lost: string[] = []
  const extra: string[] = []
  let common = 0
  for (const word of new Set([found, ...readings].flatMap((counts) => [...counts.keys()]))) {
    const count = found.get(word) ?? 0
    const counts = readings.map((reading) => reading.get(word) ?? 0)
    const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
    common += Math.min(count, most)
    lost.push(...Array<string>(Math.max(0, fewest - count)).fill(word))
    extra.push(...Array<string>(Math.max(0, count - most)).fill(word))
  }
  return { common, lost, extra }
}

/** The F1 score: the harmonic mean of the shares of common words among the found and the expected ones. */
export function f1Score({ common, lost, extra }: Comparison): number {
  return (2 * common) / Math.max(1, 2 * common + lost.length + extra.length)
}

/** Runs a program of poppler and returns its output; empty if it fails. */
export function runPoppler(program: 'pdfinfo' | 'pdftotext', ...args: string[]): string {
  try {
    return execFileSync(program, args, { maxBuffer: 1024 ** 3, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  } catch {
    return ''
  }
}

/** The text of a page, from 1, as pdftotext reads it. */
export function readWithPoppler(file: string, page: number): string {
  return runPoppler('pdftotext', '-f', String(page), '-l', String(page), file, '-')
}

/** The distance from the baseline of the text before, in font sizes, from which a letter is a word of its own. */
const minShift = 0.05
/** The same for the gap after the text before. */
const minGap = 0.5

/**
 * The text of a page, from 1, as pdf.js reads it, with spaces around letters off the baseline: footnote marks, indices,
 * the lowered letters of a logo.
 */
export async function readWithPdfjs(file: string, page: number): Promise<string> {
  const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  const task = pdfjs.getDocument({
    data: new Uint8Array(readFileSync(file)),
    cMapUrl: join(root, 'cmaps/'),
    standardFontDataUrl: join(root, 'standard_fonts/'),
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  })
  try {
    const { items } = await (await (await task.promise).getPage(page)).getTextContent()
    return textOf(items.filter((item) => 'str' in item))
  } finally {
    await task.destroy()
  }
}

interface Item {
  str: string
  /** A matrix: the direction of the baseline in its first two numbers, the position in its last two. */
  transform: number[]
  width: number
  hasEOL: boolean
}

function textOf(items: readonly Item[]): string {
  let text = ''
  let before: Item | null = null
  for (const item of items) {
    if (item.str.trim() !== '') {
      if (before && isApart(before, item)) text += ' '
      before = item
    }
    text += item.str
    if (!item.hasEOL) continue
    text += '\n'
    before = null
  }
  return text
}

function isApart(before: Item, { transform }: Item): boolean {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform
  const [beforeX = 0, beforeY = 0] = before.transform.slice(4)
  const size = Math.max(Math.hypot(c, d), Math.hypot(before.transform[2] ?? 0, before.transform[3] ?? 0))
  const length = Math.hypot(a, b) || 1
  const shift = Math.abs((y - beforeY) * a - (x - beforeX) * b) / length
  const gap = Math.abs(((x - beforeX) * a + (y - beforeY) * b) / length - before.width)
  return shift > minShift * size || gap > minGap * size
}
