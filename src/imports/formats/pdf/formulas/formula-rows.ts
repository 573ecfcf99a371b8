import { mathAxis, boxOf, foldedPart } from './formula-parts.ts'
import type { FormulaPart, Layout } from './formula-parts.ts'

/** Maximum size of scripts and limits, relative to their base or the text. */
export const maxScript = 0.86
/** Maximum distance between baselines of the same row, in ems. */
const rowHeight = 0.45
/** Minimum gap between the columns of a matrix, in ems. */
const minColumnGap = 0.85
const closing = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['|', '|'],
  ['‖', '‖'],
])
/** Minimum height of a bracket that encloses several rows, in ems. */
const minMatrix = 1.9

/** The rows of parts from top to bottom. A row consists of the parts on one baseline with their scripts and limits. */
export function rowsOf(parts: readonly FormulaPart[]): FormulaPart[][] {
  const size = mainSize(parts)
  const isMain = (part: FormulaPart): boolean => part.kind !== 'tall' && part.size >= size * maxScript
  const mains = parts.filter(isMain).sort((a, b) => a.y - b.y)
  const rows: { y: number; parts: FormulaPart[] }[] = []
  for (const part of mains) {
    const row = rows.at(-1)
    if (row && part.y - row.y < size * rowHeight) row.parts.push(part)
    else rows.push({ y: part.y, parts: [part] })
  }
  if (rows.length === 0) return parts.length > 0 ? [[...parts]] : []
  for (const part of parts) {
    if (isMain(part)) continue
    const nearest = rows.reduce((a, b) => (distance(b, part) < distance(a, part) ? b : a))
    nearest.parts.push(part)
  }
  return rows.map((row) => row.parts)
}

function distance({ y, parts }: { y: number; parts: readonly FormulaPart[] }, part: FormulaPart): number {
  const operator = parts.find((other) => other.kind === 'tall' && other.x0 < part.x1 && other.x1 > part.x0)
  return Math.abs(part.y - y) * (operator ? 0.5 : 1)
}

/** The font size of a formula: the largest size in it, not counting tall symbols. */
export function mainSize(parts: readonly FormulaPart[]): number {
  const text = parts.filter((part) => part.kind !== 'tall' && /[\p{L}\p{N}]/u.test(part.text))
  return Math.max(0, ...(text.length > 0 ? text : parts).map(({ size }) => size))
}

/** Folds the rows between tall brackets into one part: `(a & b; c & d)`, or `{` with its cases. */
export function foldMatrices(parts: readonly FormulaPart[], layout: Layout): FormulaPart[] {
  let rest = [...parts]
  const brackets = parts.filter(
    ({ kind, text, size, top, bottom }) => kind === 'tall' && closing.has(text) && bottom - top > size * minMatrix,
  )
  for (const open of brackets.toSorted((a, b) => b.x0 - a.x0)) {
    if (!rest.includes(open)) continue
    const close = closingOf(open, rest)
    if (!close && open.text !== '{') continue
    const inside = rest.filter((part) => part !== open && part !== close && isInside(part, open, close))
    const rows = rowsOf(inside)
    if (rows.length < 2) continue
    const text =
      open.text + rows.map((row) => cellsOf(row, close ? ' & ' : ' ', layout)).join('; ') + (close?.text ?? '')
    const whole = [open, ...inside, ...(close ? [close] : [])]
    const gone = new Set(whole)
    const y = (open.top + open.bottom) / 2 + mainSize(inside) * mathAxis
    rest = [
      ...rest.filter((part) => !gone.has(part)),
      foldedPart(whole, { text, y, size: mainSize(inside), kind: 'matrix' }),
    ]
  }
  return rest
}

function closingOf(open: FormulaPart, parts: readonly FormulaPart[]): FormulaPart | undefined {
  const near = open.size * 0.6
  return parts
    .filter(
      ({ kind, text, x0, top, bottom }) =>
        kind === 'tall' &&
        text === closing.get(open.text) &&
        x0 > open.x0 &&
        Math.abs(top - open.top) < near &&
        Math.abs(bottom - open.bottom) < near,
    )
    .sort((a, b) => a.x0 - b.x0)[0]
}

function isInside({ x0, x1, top, bottom }: FormulaPart, open: FormulaPart, close: FormulaPart | undefined): boolean {
  const middle = (top + bottom) / 2
  const isBeside =
    x0 >= open.x0 &&
    (x0 + x1) / 2 > (open.x0 + open.x1) / 2 &&
    (close === undefined || x1 <= close.x1 + open.size * 0.1)
  return isBeside && middle > open.top - open.size * 0.4 && middle < open.bottom + open.size * 0.4
}

function cellsOf(row: readonly FormulaPart[], separator: string, layout: Layout): string {
  const size = mainSize(row)
  const cells: FormulaPart[][] = []
  let end = -Infinity
  for (const part of row.toSorted((a, b) => a.x0 - b.x0)) {
    const cell = cells.at(-1)
    if (cell && part.x0 - end < size * minColumnGap) cell.push(part)
    else cells.push([part])
    end = Math.max(end, part.x1)
  }
  return cells.map(layout).join(separator)
}

/** Groups adjacent small parts of a row, such as the limit of a sum. */
export function chunksOf(parts: readonly FormulaPart[]): FormulaPart[][] {
  const chunks: FormulaPart[][] = []
  for (const part of parts.toSorted((a, b) => a.x0 - b.x0)) {
    const chunk = chunks.find((others) => {
      const [first] = others
      const size = Math.max(first?.size ?? 0, part.size)
      return Math.abs((first?.y ?? 0) - part.y) < size * 0.5 && part.x0 - boxOf(others).x1 < size * 0.3
    })
    if (chunk) chunk.push(part)
    else chunks.push([part])
  }
  return chunks
}
