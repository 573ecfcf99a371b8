import { cmsySymbolOf } from '../characters/math-symbols.ts'
import type { Rule, TextRun } from '../page/pdf-file.ts'

/** A symbol, a word or a folded part of a formula, in points, with x to the right and y downwards. */
export interface FormulaPart {
  text: string
  x0: number
  x1: number
  /** The baseline. */
  y: number
  size: number
  top: number
  bottom: number
  kind: 'text' | 'tall' | 'fraction' | 'matrix'
}

/** Renders parts of a formula as text on one line. */
export type Layout = (parts: readonly FormulaPart[]) => string

/**
 * How far letters extend above and below their baseline, and the height of the math axis on which fractions are
 * centred, in ems.
 */
const ascent = 0.72
const descent = 0.2
export const mathAxis = 0.25
/** The minimum height of a tall symbol, in ems. */
const minTall = 1.12
/** Operators that are larger than the text in a display formula. */
const largeOperator = /^[∑∏∐∫∬∭∮⋃⋂⨄⨀⨁⨂⋁⋀⨆]$/u
const barPieces = '|‖'
/** The pieces from which fonts build tall brackets, and the bracket that they form. */
const pieces: readonly (readonly [string, string])[] = [
  ['⎛⎜⎝', '('],
  ['⎞⎟⎠', ')'],
  ['⎡⎢⎣', '['],
  ['⎤⎥⎦', ']'],
  ['⎧⎨⎩', '{'],
  ['⎫⎬⎭', '}'],
]
const pieceOf = new Map(pieces.flatMap(([parts, whole]) => Array.from(parts, (part) => [part, whole] as const)))

/** The parts of a formula, with the pieces of each tall bracket joined. */
export function formulaParts(runs: readonly TextRun[]): FormulaPart[] {
  const parts = runs.flatMap(splitRun)
  const stacked = parts.filter(isPiece).sort((a, b) => a.top - b.top)
  if (stacked.length === 0) return parts
  const stacks: FormulaPart[][] = []
  for (const piece of stacked) {
    const stack = stacks.find((others) => isBelow(others, piece))
    if (stack) stack.push(piece)
    else stacks.push([piece])
  }
  return [...parts.filter((part) => !isPiece(part)), ...stacks.map(joinStack)]
}

/** Converts a run to a part. Adjacent brackets in one run become separate parts. */
function splitRun(run: TextRun): FormulaPart[] {
  const whole = run.text.replaceAll(/[\ufe00-\ufe0f]/g, '')
  const read = run.font.math === 'cmsy' ? Array.from(whole, cmsySymbolOf).join('') : whole
  const signs = run.glyphHeight === undefined ? [read] : Array.from(read.replaceAll(' ', ''))
  const width = run.width / signs.length
  return signs.map((text, index) => partOf(run, text, { x0: run.x + width * index, x1: run.x + width * (index + 1) }))
}

function partOf(
  { y, size, glyphHeight = 0 }: TextRun,
  text: string,
  { x0, x1 }: { x0: number; x1: number },
): FormulaPart {
  const middle = y - size * mathAxis
  const isOperator = largeOperator.test(text)
  const isTall = isOperator || glyphHeight > size * minTall || pieceOf.has(text) || text === '⎪'
  const half = (glyphHeight > 0 ? glyphHeight : size) / 2
  const [top, bottom] = isTall ? [middle - half, middle + half] : [y - size * ascent, y + size * descent]
  return { text, x0, x1, y, size, top, bottom, kind: isTall ? 'tall' : 'text' }
}

function isPiece({ text, kind }: FormulaPart): boolean {
  return barPieces.includes(text) || (kind === 'tall' && (pieceOf.has(text) || text === '⎪' || text === '√'))
}

function isBelow(stack: readonly FormulaPart[], piece: FormulaPart): boolean {
  const last = stack.at(-1)
  if (!last || Math.abs(last.x0 - piece.x0) > piece.size * 0.35) return false
  return Math.abs(piece.top - last.bottom) < piece.size * 0.4
}

function joinStack(stack: readonly FormulaPart[]): FormulaPart {
  if (stack.length === 1 && stack[0] && barPieces.includes(stack[0].text)) return stack[0]
  const [first, last] = [stack[0], stack.at(-1)] as [FormulaPart, FormulaPart]
  const text = stack.map((part) => pieceOf.get(part.text)).find((whole) => whole !== undefined)
  const root = stack.find((part) => part.text === '√')?.text
  const { top, bottom } = { top: first.top, bottom: last.bottom }
  const y = (top + bottom) / 2 + first.size * mathAxis
  return {
    ...first,
    kind: 'tall',
    text: text ?? root ?? first.text,
    y,
    top,
    bottom,
    x1: Math.max(...stack.map(({ x1 }) => x1)),
  }
}

/** One part that replaces several. `y` is its baseline, and `size` is the size of the text around it. */
export function foldedPart(
  parts: readonly FormulaPart[],
  folded: Pick<FormulaPart, 'text' | 'y' | 'size' | 'kind'>,
): FormulaPart {
  return { ...folded, ...boxOf(parts) }
}

/** The bounding box of parts. */
export function boxOf(parts: readonly FormulaPart[]): Pick<FormulaPart, 'x0' | 'x1' | 'top' | 'bottom'> {
  const box = { x0: Infinity, x1: -Infinity, top: Infinity, bottom: -Infinity }
  for (const part of parts) {
    box.x0 = Math.min(box.x0, part.x0)
    box.x1 = Math.max(box.x1, part.x1)
    box.top = Math.min(box.top, part.top)
    box.bottom = Math.max(box.bottom, part.bottom)
  }
  return box
}

/** Whether the middle of a part is between the ends of a rule. */
export function isWithin({ x0, x1 }: FormulaPart, rule: Pick<Rule, 'x0' | 'x1'>): boolean {
  const middle = (x0 + x1) / 2
  return middle > rule.x0 - 1 && middle < rule.x1 + 1
}

/** A numerator: in parentheses unless it is one word or number. */
export function asOperand(text: string): string {
  return /^√?[\p{L}\p{N}.∞′]+$/u.test(text) ? text : `(${text})`
}

/** A denominator or radicand: in parentheses unless it is one letter or number. */
export function asDivisor(text: string): string {
  return /^√?(?:\p{L}[′¯ˆ˜]*|[¯ˆ˜]\p{L}|\p{N}+|∞)$/u.test(text) ? text : `(${text})`
}
