import type { Box } from '../formats/picture/ink-components.ts'
import type { RecognisedParagraph, RecognisedWord } from './parse-words.ts'

/** Minimum confidence of words that the first pass missed; these are more often parts of drawings. */
const minConfidence = 60
/** A number or a word; single letters and signs are parts of drawings. */
const numberOrWord = /\p{N}|\p{L}{3}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u
/** Maximum gap between a line and a word that belongs to it, in line heights; margin notes are further away. */
const maxGap = 2

/** A number at the right margin belongs to the line before it at any distance: rows of dots lead to it. */
const pageNumber = /^\P{L}*\p{N}\P{L}*$/u
/** How far the right margin is uneven, in heights of the number. */
const marginTolerance = 1

/** Maximum number of added paragraphs per page; a page with more is a drawing. */
const maxParagraphs = 500

type Line = RecognisedWord[]

interface PlacedLine {
  line: Line
  place: Box
}

/**
 * Merges `remaining`, the words of the second pass, into the paragraphs of a page: next to the line that they belong to (such as its
 * number, or the page to a row of a table of contents), otherwise as separate paragraphs by vertical position.
 */
export function addRemainingWords(
  paragraphs: readonly RecognisedParagraph[],
  remaining: readonly RecognisedParagraph[],
): RecognisedParagraph[] {
  const all = paragraphs.map((lines) => lines.map((line) => [...line]))
  const lines = all.flat().map((line) => ({ line, place: placeOf(line) }))
  const margin = Math.max(0, ...[...paragraphs, ...remaining].flat(2).map(({ box }) => box.right))
  for (const paragraph of remaining.slice(0, maxParagraphs)) {
    const alone: Line[] = []
    for (const words of paragraph.map((line) => line.filter(isSure)).filter(hasContent)) {
      const isAtMargin = isPageNumber(words) && placeOf(words).right >= margin - marginTolerance * heightOf(words)
      const beside = lineBeside(lines, placeOf(words), isAtMargin)
      if (!beside) alone.push(words)
      else if (beside.place.left > placeOf(words).left) beside.line.unshift(...words)
      else beside.line.push(...words)
    }
    if (alone.length > 0) all.splice(placeAmong(all, alone), 0, alone)
  }
  return all
}

function isSure({ confidence }: RecognisedWord): boolean {
  return confidence >= minConfidence
}

function hasContent(line: Line): boolean {
  return line.some(({ text }) => numberOrWord.test(text))
}

function placeOf(words: readonly RecognisedWord[]): Box {
  const boxes = words.map(({ box }) => box)
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  }
}

function isPageNumber(words: Line): boolean {
  return words.length === 1 && words.every(({ text }) => pageNumber.test(text))
}

function heightOf(words: Line): number {
  const { top, bottom } = placeOf(words)
  return bottom - top
}

/** The line that begins or ends next to a position, or at any distance before one at the right margin. */
function lineBeside(lines: readonly PlacedLine[], place: Box, isAtMargin: boolean): PlacedLine | null {
  let nearest: { line: PlacedLine; gap: number } | null = null
  for (const line of lines) {
    const of = line.place
    const shared = Math.min(of.bottom, place.bottom) - Math.max(of.top, place.top)
    if (shared * 2 < Math.min(of.bottom - of.top, place.bottom - place.top)) continue
    const gap = Math.max(of.left - place.right, place.left - of.right)
    const isNear = gap <= maxGap * (of.bottom - of.top) || (isAtMargin && of.right <= place.left)
    if (gap < 0 || !isNear || (nearest && gap >= nearest.gap)) continue
    nearest = { line, gap }
  }
  return nearest?.line ?? null
}

/** The index of the first paragraph that is below the given lines, before which they are inserted. */
function placeAmong(paragraphs: readonly RecognisedParagraph[], lines: readonly Line[]): number {
  const { bottom } = placeOf(lines.flat())
  const at = paragraphs.findIndex((paragraph) => placeOf(paragraph.flat()).top >= bottom)
  return at === -1 ? paragraphs.length : at
}
