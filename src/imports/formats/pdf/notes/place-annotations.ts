import { escapeText } from '../page/inline-text.ts'
import type { PageAnnotation, PageText, TextRun } from '../page/pdf-file.ts'

type Box = PageAnnotation['boxes'][number]

const plainFont = { bold: false, italic: false, mono: false, vertical: false }
/** The font size of a value if there is no text on its line, in points. It is smaller if the box is too low. */
const fieldSize = 10
const minOverlap = 0.3
/**
 * Moves the ends of a box inwards by this much, in points, so that of two equally near word boundaries the inner one is
 * chosen.
 */
const boxMargin = 0.001

/**
 * The runs of a page, with the values of form fields and free text at their positions and links on the words below
 * them.
 */
export function placeAnnotations(page: PageText): TextRun[] {
  const annotations = page.annotations ?? []
  if (annotations.length === 0) return page.runs
  const values = annotations.flatMap((annotation) =>
    annotation.kind === 'field' || annotation.kind === 'text' ? valueRuns(annotation, page.runs) : [],
  )
  const links = annotations.flatMap(({ kind, boxes, target }) =>
    kind === 'link' && target !== null ? boxes.map((box) => ({ ...box, target })) : [],
  )
  return [...page.runs, ...values].flatMap((run) => linkParts(run, links))
}

/** A run with the links on its words. It is divided where a link begins or ends. */
function linkParts(run: TextRun, links: readonly (Box & { target: string })[]): TextRun[] {
  let parts = [run]
  // The middle of its small letters.
  const [middle, end] = [run.y - run.size * 0.3, run.x + run.width]
  for (const link of links) {
    // Most links are elsewhere on the page.
    if (middle < link.y0 || middle > link.y1 || end <= link.x0 || run.x >= link.x1) continue
    parts = parts.flatMap((each) => linkRun(each, link, link.target))
  }
  return parts
}

/** The notes of a page as quotations that start with "Comment" and the name of the author; empty if it has none. */
export function renderNotes({ annotations = [] }: PageText): string {
  return annotations
    .filter(({ kind }) => kind === 'note')
    .map(({ text, author }) => {
      const by = author === null ? '' : ` by ${escapeText(author.replace(/\s+/g, ' '))}`
      return `> **Comment${by}:** ${text.split('\n').map(escapeText).join('\n> ')}`
    })
    .join('\n\n')
}

/** The lines of a value, aligned with the text beside the field. Empty if the page already shows the value there. */
function valueRuns({ text, boxes }: PageAnnotation, runs: readonly TextRun[]): TextRun[] {
  const [box] = boxes
  if (!box) return []
  const lines = text.split('\n').filter((line) => line !== '')
  const inside = runs.filter((run) => run.rotation === 0 && isInside(run, box))
  if (inside.some((run) => lines.includes(run.text))) return []
  const height = Math.max(1, box.y1 - box.y0)
  const size = Math.min(fieldSize, (height / lines.length) * 0.8)
  const neighbour = lines.length === 1 ? runs.find((run) => run.rotation === 0 && isBeside(run, box)) : undefined
  const first = neighbour?.y ?? (lines.length === 1 ? box.y1 - Math.min(height, size * 1.4) * 0.25 : box.y0 + size)
  return lines.map((line, index) => ({
    text: line,
    x: box.x0 + 1,
    y: first + index * Math.max(size * 1.2, height / Math.max(lines.length, 1) / 2),
    width: Math.max(1, Math.min(box.x1 - box.x0 - 2, line.length * size * 0.5)),
    size: neighbour?.size ?? size,
    font: plainFont,
    rotation: 0,
    hasSpaceBefore: true,
    rtl: false,
  }))
}

function isInside({ x, y, width }: TextRun, box: Box): boolean {
  const middle = x + width / 2
  return middle > box.x0 && middle < box.x1 && y > box.y0 && y <= box.y1 + 1
}

/** Whether the baseline of a run crosses the lower part of a box. */
function isBeside({ y, size }: TextRun, { y0, y1 }: Box): boolean {
  return y > y0 + (y1 - y0) * 0.4 && y <= y1 + size * 0.2
}

/** Splits a run on the line of a box into up to three parts, of which the part below the box becomes a link. */
function linkRun(run: TextRun, box: Box, link: string): TextRun[] {
  if (run.link !== undefined || run.rotation !== 0) return [run]
  const overlap = Math.min(run.x + run.width, box.x1) - Math.max(run.x, box.x0)
  if (overlap <= run.size * minOverlap) return [run]
  if (overlap > run.width - run.size * minOverlap) return [{ ...run, link }]
  if (run.rtl) return [run]
  const offsets = characterOffsets(run)
  const from = nearestBoundary(run.text, offsets, box.x0 - run.x + boxMargin)
  const to = withClosingBracket(run.text, from, nearestBoundary(run.text, offsets, box.x1 - run.x - boxMargin))
  return [
    part(run, offsets, { from: 0, to: from }),
    part(run, offsets, { from, to, link }),
    part(run, offsets, { from: to, to: run.text.length }),
  ].filter((piece) => piece !== null)
}

function part(
  run: TextRun,
  offsets: readonly number[],
  { from, to, link }: { from: number; to: number; link?: string },
): TextRun | null {
  const text = run.text.slice(from, to)
  const start = from + text.length - text.trimStart().length
  const trimmed = text.trim()
  if (trimmed === '') return null
  const x = offsets[start] ?? 0
  const hasSpaceBefore = start === 0 ? run.hasSpaceBefore : /\s/.test(run.text[start - 1] ?? '')
  const width = (offsets[start + trimmed.length] ?? run.width) - x
  return { ...run, text: trimmed, x: run.x + x, width, hasSpaceBefore, ...(link === undefined ? {} : { link }) }
}

/**
 * The offset of each character from the start of the run. It is estimated from typical letter widths and scaled to the
 * width of the run.
 */
function characterOffsets({ text, width }: TextRun): number[] {
  const offsets = [0]
  for (let at = 0; at < text.length; at += 1) offsets.push((offsets[at] ?? 0) + characterWidth(text[at] ?? ''))
  const scale = width / (offsets.at(-1) || 1)
  return offsets.map((offset) => offset * scale)
}

function characterWidth(character: string): number {
  if (/[iljtfrI.,;:'’!|()[\] ]/.test(character)) return 0.3
  if (/[mwMW@—]/.test(character)) return 0.85
  return /[\p{Lu}]/u.test(character) ? 0.68 : 0.5
}

/** The index of the word boundary, or boundary between words and punctuation, that is nearest to an offset. */
function nearestBoundary(text: string, offsets: readonly number[], place: number): number {
  let best = 0
  for (let at = 0; at <= text.length; at += 1) {
    if (at > 0 && at < text.length && classOf(text[at - 1] ?? '') === classOf(text[at] ?? '')) continue
    if (Math.abs((offsets[at] ?? 0) - place) < Math.abs((offsets[best] ?? 0) - place)) best = at
  }
  return best
}

/** The end index of a link. It includes a bracket that closes one inside the link. */
function withClosingBracket(text: string, from: number, to: number): number {
  const link = text.slice(from, to)
  return text[to] === ')' && link.lastIndexOf('(') > link.lastIndexOf(')') ? to + 1 : to
}

function classOf(character: string): string {
  if (/\s/.test(character)) return 'space'
  return /[\p{L}\p{N}\p{M}]/u.test(character) ? 'word' : 'sign'
}
