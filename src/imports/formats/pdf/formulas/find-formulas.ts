import { mathAxis } from './formula-parts.ts'
import { maxScript } from './formula-rows.ts'
import { formulaText } from './formula-text.ts'
import { extentOf } from '../page/extent.ts'
import type { Extent } from '../page/extent.ts'
import type { Segment } from '../page/page-parts.ts'
import type { Rule, TextRun } from '../page/pdf-file.ts'

/** How far text extends above and below its baseline, in ems. */
const [ascent, descent] = [0.75, 0.22]
/** A line with this many words is prose. A segment with fewer words is prose if they are most of its text. */
const minWords = 3
/** A segment whose baseline is this close to that of a line of prose belongs to it, in ems. */
const maxLineRise = 0.75
/** Maximum vertical gaps between the parts of one formula, and between a formula and its limits, in ems. */
const maxPartGap = 0.2
const maxLimitGap = 0.45
/** Maximum gap between a formula and a line that continues it with a relation, in ems. */
const maxLineGap = 1.5
/** In ems: minimum indent, minimum distance from the text above, maximum line distance of that text. */
const minIndent = 0.8
const minRoom = 1.5
const maxPitch = 2.5
/** In ems: minimum gap before a formula number and between columns. Tables have more columns than formulas. */
const minNumberGap = 1.2
const minColumnGap = 2
const maxColumns = 3
/** The minimum gap after the line number of an algorithm, in ems. */
const minLabelGap = 0.4
/** Minimum width of a numerator or denominator, relative to the fraction rule. */
const minFraction = 0.7
/** The text after the label of a line begins in one of this many runs. */
const maxLabelRuns = 3
/** Maximum number of semicolons and asterisks in a formula. Code has more. */
const maxCodeSigns = 1
/** Maximum number of runs in a formula. Longer ones are drawings or tables. */
const maxRuns = 400

const relation = /[=<>≤≥≈≡≃≅∼≺≻⊂⊃⊆⊇∈∉∋→←↔↦⇒⇐⇔⟶⟹⟺∝≪≫≠≜⩽⩾⊢⊨]/u
const largeOperator = /[∑∏∐∫∮⋃⋂⨁⨂√]/u
const binary = /[+−×÷±∓∘⊗⊕∪∩∧∨]/u
const operand = /[\p{L}\p{N}]/gu
const words = /\p{L}{3,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu
/** Names of functions and connecting words that formulas set in the text font. */
const names =
  /^(?:arc)?(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|coth)$|^(?:log|exp|lim|sup|inf|max|min|det|dim|ker|deg|gcd|lcm|arg|argmax|argmin|limsup|liminf|hom|mod|sgn|sign|rank|var|cov|const|tr|diag|div|rot|curl|grad|erf|res|and|for|with|where|all|otherwise|such|that)$/i
const startsWithRelation = /^[=≤≥≈≡<>+−×·∼≠⇒⇔→]/u
const endsWithNumber = /\s{2}[([]\S*[)\]]$/
const equationNumber =
  /^[([](?:\p{L}{0,2}[.\-–]?)?\p{N}{1,4}(?:[.\-–]\p{N}{1,4}){0,3}\p{L}?′*[)\]]$|^\(\p{L}{1,2}\)$|^\((?:\*|†|‡){1,3}\)$/u
const listLabel = /^(?:[(]?(?:\p{N}{1,3}|\p{Ll}|[ivx]{1,4})[.):]|[•◦▪‣∙·⋅∗*–—-])$/u

/** The context of a formula: lines of prose, the left edge of the text, and the rules of the page. */
interface Surroundings {
  prose: readonly Segment[]
  left: number
  rules: readonly Rule[]
}

/** Segments that form one formula, with the top and bottom of their bounding box. */
interface Cluster {
  segments: Segment[]
  top: number
  bottom: number
}

/**
 * Replaces the segments of each display formula in a region with one segment that contains its text. A display formula
 * is indented or set apart, uses math fonts, has operands and a relation or an operator, and hardly any words.
 */
export function extractFormulas(region: readonly Segment[], rules: readonly Rule[]): Segment[] {
  if (!region.some(hasMath)) return [...region]
  const size = mostCommon(region, (segment) => segment.size)
  const [prose, others]: Segment[][] = [[], []]
  for (const segment of region) (segment.table || isProse(segment, size) ? prose : others)?.push(segment)
  if (!prose || !others?.some(hasMath)) return [...region]
  const loose = others.filter((segment) => !prose.some((line) => belongsTo(segment, line)))
  const left = mostCommon(prose.length > 0 ? prose : region, ({ x0 }) => Math.round(x0))
  const found = clustersOf(loose)
    .flatMap(splitAtNumbers)
    .filter((cluster) => isFormula(cluster, { prose, left, rules }))
  if (found.length === 0) return [...region]
  const taken = new Set(found.flatMap(({ segments }) => segments))
  return [...region.filter((segment) => !taken.has(segment)), ...joinContinued(found, rules, size)]
}

function hasMath({ runs }: Segment): boolean {
  return runs.some(({ font }) => font.math)
}

function isProse({ runs, size: own }: Segment, size: number): boolean {
  const [first, second] = runs
  if (first && second && listLabel.test(first.text) && second.x - first.x - first.width > first.size * 0.25) return true
  if (first && !second && /^[•◦▪‣∙·⋅∗]$/u.test(first.text)) return true
  let count = 0
  let letters = 0
  let all = 0
  for (const { text, font } of runs) {
    all += text.length
    if (font.mono && text.length > 1) return true
    if (font.math) continue
    for (const [word] of text.matchAll(words)) {
      if (names.test(word)) continue
      count += 1
      if (count >= minWords) return true
      letters += word.length
    }
  }
  // A word in a small font is a limit.
  return letters > all * 0.5 && own > size * maxScript
}

/** The value of the segments with the greatest total width, such as the usual font size. */
function mostCommon(segments: readonly Segment[], valueOf: (segment: Segment) => number): number {
  const widths = new Map<number, number>()
  for (const segment of segments) {
    const value = valueOf(segment)
    widths.set(value, (widths.get(value) ?? 0) + segment.x1 - segment.x0)
  }
  return [...widths].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0])[0]
}

/** Whether a segment is part of a line of prose: raised, lowered, or after a gap. */
function belongsTo(segment: Segment, line: Segment): boolean {
  if (line.table) return false
  return Math.abs(segment.y - line.y) < line.size * maxLineRise
}

function clustersOf(segments: readonly Segment[]): Cluster[] {
  const clusters: Cluster[] = []
  for (const cluster of segments.map(clusterOf).sort((a, b) => a.top - b.top)) {
    const last = clusters.at(-1)
    const [size, above] = [cluster, last].map((one) =>
      Math.max(0, ...(one?.segments ?? []).map((segment) => segment.size)),
    ) as [number, number]
    const gap = size < above * maxScript ? maxLimitGap : maxPartGap
    if (last && cluster.top - last.bottom < Math.max(size, above) * gap) {
      last.segments.push(...cluster.segments)
      last.bottom = Math.max(last.bottom, cluster.bottom)
    } else clusters.push(cluster)
  }
  return clusters
}

function clusterOf(segment: Segment): Cluster {
  let [top, bottom] = [Infinity, -Infinity]
  for (const { y, size, glyphHeight = 0 } of segment.runs) {
    top = Math.min(top, y - Math.max(size * ascent, size * mathAxis + glyphHeight / 2))
    bottom = Math.max(bottom, y + Math.max(size * descent, glyphHeight / 2 - size * mathAxis))
  }
  return { segments: [segment], top, bottom }
}

function isFormula({ segments, top }: Cluster, { prose, left, rules }: Surroundings): boolean {
  const runs = segments.flatMap((segment) => segment.runs)
  const size = Math.max(...segments.map((segment) => segment.size))
  if (runs.length > maxRuns || runs.some(({ font, rtl }) => font.mono || rtl) || !runs.some(({ font }) => font.math))
    return false
  const { body } = withoutNumber(segments)
  const text = body.flatMap((segment) => segment.runs.map((run) => run.text)).join(' ')
  const operands = text.match(operand)?.length ?? 0
  if (isNumberedLine(body) || (text.match(/[;∗]/g)?.length ?? 0) > maxCodeSigns) return false
  const columns = columnsOf(body, size)
  const isStatement = relation.test(text) || largeOperator.test(text) || hasFraction(body, rules)
  const isSum = columns === 1 && binary.test(text) && runs.some((run) => run.font.math && /\p{L}/u.test(run.text))
  if ((!isStatement && !isSum) || operands < 2 || columns > maxColumns) return false
  const { x0 } = extentOf(body)
  const [above, before] = prose.filter((line) => line.y < top + size * 0.5).toSorted((a, b) => b.y - a.y)
  const pitch = above && before ? Math.min(above.y - before.y, size * maxPitch) : 0
  if (!above || top + size * ascent - above.y > Math.max(size * minRoom, pitch * 1.1)) return true
  const isAligned = above.runs.slice(0, maxLabelRuns).some((run) => Math.abs(run.x - x0) < size * 0.4)
  return x0 > left + size * minIndent && !isAligned
}

/** Whether a rule has text above and below it that is nearly as wide as itself. */
function hasFraction(segments: readonly Segment[], rules: readonly Rule[]): boolean {
  return rulesOf(segments, rules).some((rule) => {
    const inside = segments.filter(({ x0, x1 }) => x0 > rule.x0 - 2 && x1 < rule.x1 + 2)
    const sides = [inside.filter(({ y }) => y < rule.y), inside.filter(({ y }) => y > rule.y)]
    const widest = Math.max(...inside.map(widthOf))
    return sides.every((side) => side.length > 0) && widest > (rule.x1 - rule.x0) * minFraction
  })
}

/** Splits a cluster with several formula numbers: each formula gets the segments that are nearest to its number. */
function splitAtNumbers(cluster: Cluster): Cluster[] {
  const numbers = cluster.segments.filter(({ runs }) => equationNumber.test(textOf(runs, '')))
  const body = cluster.segments.filter((segment) => !numbers.includes(segment))
  const { x0, x1 } = extentOf(body)
  const labels = numbers.filter((segment) => segment.x0 > x1 + segment.size || segment.x1 < x0 - segment.size)
  if (labels.length < 2) return [cluster]
  const parts = labels.map((segment) => ({ y: segment.y, segments: [segment] }))
  for (const segment of cluster.segments) {
    if (labels.includes(segment)) continue
    const nearest = parts.reduce((a, b) => (Math.abs(b.y - segment.y) < Math.abs(a.y - segment.y) ? b : a))
    nearest.segments.push(segment)
  }
  return parts.map(({ segments }) => {
    const clusters = segments.map(clusterOf)
    return {
      segments,
      top: Math.min(...clusters.map(({ top }) => top)),
      bottom: Math.max(...clusters.map(({ bottom }) => bottom)),
    }
  })
}

function textOf(runs: readonly TextRun[], separator: string): string {
  return runs.map(({ text }) => text).join(separator)
}

/** Whether a line begins with a line number, or the number of a list item or title. */
function isNumberedLine(segments: readonly Segment[]): boolean {
  const [first, second] = segments.flatMap(({ runs }) => runs).toSorted((a, b) => a.x - b.x)
  if (first && /^\p{N}{1,3}(?:\.\p{N}{1,2}){0,2}\.?\s+\p{L}{2}/u.test(first.text)) return true
  if (!first || !second || !/^\p{N}{1,3}[.:]?$/u.test(first.text)) return false
  return second.x - first.x - first.width > first.size * minLabelGap
}

/** The largest number of columns in a row. Formulas with tall brackets count as one column. */
function columnsOf(segments: readonly Segment[], size: number): number {
  if (segments.some(({ runs }) => runs.some(({ glyphHeight = 0 }) => glyphHeight > size * 1.5))) return 1
  const rows: Segment[][] = []
  for (const segment of segments.toSorted((a, b) => a.y - b.y)) {
    const row = rows.at(-1)
    if (row?.[0] && segment.y - row[0].y < size * 0.3) row.push(segment)
    else rows.push([segment])
  }
  return Math.max(
    ...rows.map((row) => {
      const parts = row.toSorted((a, b) => a.x0 - b.x0)
      return (
        1 +
        parts.filter((part, index) => index > 0 && part.x0 - (parts[index - 1]?.x1 ?? 0) > size * minColumnGap).length
      )
    }),
  )
}

/** Separates a formula from its number, which is before or after it with a wide gap in between. */
function withoutNumber(segments: readonly Segment[]): { body: readonly Segment[]; label: string } {
  for (const segment of segments) {
    const text = textOf(segment.runs, '')
    if (!equationNumber.test(text)) continue
    const body = segments.filter((other) => other !== segment)
    if (body.length === 0) continue
    const { x0, x1 } = extentOf(body)
    const gap = segment.size * minNumberGap
    if (segment.x0 > x1 + gap || segment.x1 < x0 - gap) return { body, label: text }
  }
  return { body: segments, label: '' }
}

function toSegment({ segments }: Cluster, rules: readonly Rule[]): Segment {
  const { body, label: ownNumber } = withoutNumber(segments)
  const runs = body.flatMap((segment) => segment.runs)
  const text = formulaText(runs, rulesOf(body, rules))
  const main = body.reduce((a, b) => (b.size > a.size || (b.size === a.size && widthOf(b) > widthOf(a)) ? b : a))
  return {
    ...extentOf(segments),
    y: main.y,
    size: main.size,
    runs,
    formula: ownNumber === '' ? text : `${text}  ${ownNumber}`,
  }
}

function widthOf({ x0, x1 }: Extent): number {
  return x1 - x0
}

function rulesOf(segments: readonly Segment[], rules: readonly Rule[]): Rule[] {
  const { x0, x1 } = extentOf(segments)
  const ys = segments.flatMap(({ y, size }) => [y - size * 2, y + size])
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  return rules.filter((rule) => rule.y > top && rule.y < bottom && rule.x0 > x0 - 3 && rule.x1 < x1 + 3)
}

/** Joins lines of one formula: the second begins with a relation, and the first has no number. */
function joinContinued(clusters: readonly Cluster[], rules: readonly Rule[], size: number): Segment[] {
  const joined: Segment[] = []
  let bottom = -Infinity
  for (const cluster of clusters) {
    const last = joined.at(-1)
    const segment = toSegment(cluster, rules)
    const continuesFormula = startsWithRelation.test(segment.formula ?? '') && !endsWithNumber.test(last?.formula ?? '')
    if (last && continuesFormula && cluster.top - bottom < size * maxLineGap) {
      last.formula = `${last.formula ?? ''} ${segment.formula ?? ''}`
      Object.assign(last, extentOf([last, segment]))
    } else joined.push(segment)
    bottom = cluster.bottom
  }
  return joined
}
