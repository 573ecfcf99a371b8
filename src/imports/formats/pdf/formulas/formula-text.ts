import { foldRules } from './formula-fractions.ts'
import { mathAxis, boxOf, formulaParts } from './formula-parts.ts'
import type { FormulaPart, Layout } from './formula-parts.ts'
import { chunksOf, foldMatrices, mainSize, maxScript, rowsOf } from './formula-rows.ts'
import type { Rule, TextRun } from '../page/pdf-file.ts'

/** Operators and function names that may have limits above and below. */
const operator = /^(?:[∑∏∐⋃⋂⨄⨀⨁⨂⋁⋀⨆∫∬∭∮⏞⏟]|lim(?: ?(?:sup|inf))?|max|min|sup|inf|det|gcd|Pr|arg ?(?:max|min))$/
/**
 * In ems: minimum width of a space between parts, and maximum horizontal distance between the middle of an operator and
 * the middle of its limits.
 */
const minSpace = 0.13
const maxAside = 0.5
/** Maximum distance between the math axis of a fraction and that of its row, in ems. */
const maxAxisShift = 0.3

/** A base with its superscripts and subscripts. Scripts before the first base have none. */
interface Unit {
  base: FormulaPart | null
  raised: FormulaPart[]
  lowered: FormulaPart[]
}

/**
 * The text of a display formula on one line, such as `∑_{i=1}^n x_i = (a + b)/2`. Scripts and limits follow `_` and
 * `^`, fractions have a slash, and rows of a matrix are separated by semicolons. Rows without brackets are joined with
 * spaces.
 */
export function formulaText(runs: readonly TextRun[], rules: readonly Rule[]): string {
  const layout: Layout = (parts) =>
    rowsOf(foldMatrices(parts, layout))
      .map((row) => rowText(row, layout))
      .join(' ')
  return layout(foldRules(formulaParts(runs), rules, layout))
}

function rowText(row: readonly FormulaPart[], layout: Layout): string {
  const size = mainSize(row) || 1
  const mains = mainsOf(row, size)
  if (mains.length === 0) return row.map(({ text }) => text).join(' ')
  const units = unitsOf(mains, row, size)
  let text = ''
  for (const [index, unit] of units.entries()) {
    const next = units[index + 1]
    const after = next?.base ? gapBetween(unit, next, size) : ''
    const scripts = script('_', layout(unit.lowered)) + script('^', layout(unit.raised))
    const isGlued = after === '' && scripts !== '' && /^[\p{L}\p{N}]/u.test(next?.base?.text ?? '')
    text += baseText(unit, { before: units[index - 1], next, hasScripts: scripts !== '' }) + scripts
    text += isGlued ? ' ' : after
  }
  return text
}

/** The parts on the baseline of a row, from left to right, without scripts and limits. */
function mainsOf(row: readonly FormulaPart[], size: number): FormulaPart[] {
  const letters = row.filter(({ kind, size: own }) => kind === 'text' && own >= size * maxScript)
  const y = letters[letters.length >> 1]?.y
  const isMain = (part: FormulaPart): boolean => {
    if (part.size >= size * maxScript) return true
    return (
      part.kind !== 'text' && y !== undefined && Math.abs(axisOf(part) - (y - size * mathAxis)) < size * maxAxisShift
    )
  }
  return row.filter(isMain).sort((a, b) => a.x0 - b.x0)
}

function axisOf({ y, size }: FormulaPart): number {
  return y - size * mathAxis
}

function unitsOf(mains: readonly FormulaPart[], row: readonly FormulaPart[], size: number): Unit[] {
  const units: Unit[] = mains.map((base) => ({ base, raised: [], lowered: [] }))
  for (const chunk of chunksOf(row.filter((part) => !mains.includes(part)))) {
    const { x0, x1, top, bottom } = boxOf(chunk)
    const limited = units.find(
      ({ base }) =>
        base &&
        operator.test(base.text) &&
        Math.abs(x0 + x1 - base.x0 - base.x1) < 2 * Math.max(size * maxAside, (base.x1 - base.x0) / 2),
    )
    let unit = limited ?? units.findLast(({ base }) => base !== null && base.x0 <= x0 + size * 0.1)
    if (!unit) {
      unit = { base: null, raised: [], lowered: [] }
      units.unshift(unit)
    }
    const middle = unit.base ? axisOf(unit.base) : axisOf(mains[0] as FormulaPart)
    const side = (top + bottom) / 2 < middle ? unit.raised : unit.lowered
    side.push(...chunk)
  }
  return units
}

function gapBetween(unit: Unit, { base }: Unit, size: number): string {
  const before = unit.base
  if (!base) return ''
  const parts =
    before && operator.test(before.text) ? [before] : [...(before ? [before] : []), ...unit.raised, ...unit.lowered]
  const gap = base.x0 - boxOf(parts).x1
  const isWord = before !== null && /^\p{L}{2,}$/u.test(before.text)
  const isOperand = /^[\p{L}\p{N}]/u.test(base.text)
  if (gap > size * minSpace || (isWord && isOperand)) return ' '
  const isLimit = unit.raised.length + unit.lowered.length > 0 && before !== null && operator.test(before.text)
  return isLimit && isOperand ? ' ' : ''
}

/** The text of a base. A fraction that is a factor or has an exponent is in parentheses. */
function baseText(
  { base }: Unit,
  { before, next, hasScripts }: { before: Unit | undefined; next: Unit | undefined; hasScripts: boolean },
): string {
  if (!base) return ''
  if (base.kind !== 'fraction') return base.text
  const follows = /[\p{L}\p{N})\]]$/u.test(before?.base?.text ?? '')
  const precedes = /^[\p{L}\p{N}(√∑∏∫]/u.test(next?.base?.text ?? '')
  return follows || precedes || hasScripts ? `(${base.text})` : base.text
}

function script(mark: '_' | '^', text: string): string {
  if (text === '' || /^[′″‴]+$/.test(text)) return text
  return /^[\p{L}\p{N}*∗∞]$/u.test(text) ? `${mark}${text}` : `${mark}{${text}}`
}
