import { asDivisor, asOperand, mathAxis, foldedPart, isWithin } from './formula-parts.ts'
import type { FormulaPart, Layout } from './formula-parts.ts'
import type { Rule } from '../page/pdf-file.ts'

/**
 * In ems of the parts: maximum gaps between a rule and the part next to it, between the parts on one side of a rule,
 * and between a root sign and its rule.
 */
const maxRuleGap = 0.75
const maxPartGap = 0.1
const maxRootGap = 0.35

/**
 * Folds fractions and roots at their rules into one part each, from the innermost to the outermost. `layout` renders
 * their contents.
 */
export function foldRules(parts: readonly FormulaPart[], rules: readonly Rule[], layout: Layout): FormulaPart[] {
  let rest = [...parts]
  const open = new Set(rules)
  for (const rule of rules.toSorted((a, b) => a.x1 - a.x0 - (b.x1 - b.x0))) {
    open.delete(rule)
    const [above, below] = [
      contentOf(rest, rule, { open, isAbove: true }),
      contentOf(rest, rule, { open, isAbove: false }),
    ]
    const root = rest.find((part) => isRootOf(part, rule))
    const taken = root ? [root, ...below] : [...above, ...below]
    const folded = root
      ? foldRoot(root, below, layout)
      : above.length > 0 && below.length > 0
        ? foldFraction(rule, above, { below, layout })
        : null
    if (!folded) continue
    const gone = new Set(taken)
    rest = [...rest.filter((part) => !gone.has(part)), folded]
  }
  return rest
}

/** The parts above or below a rule without a gap between them, up to the next rule. */
function contentOf(
  parts: readonly FormulaPart[],
  rule: Rule,
  { open, isAbove }: { open: ReadonlySet<Rule>; isAbove: boolean },
): FormulaPart[] {
  const sign = isAbove ? -1 : 1
  const barriers = [...open].filter(
    ({ x0, x1, y }) => (y - rule.y) * sign > 1 && Math.min(x1, rule.x1) - Math.max(x0, rule.x0) > 1,
  )
  const limit = Math.min(...barriers.map(({ y }) => (y - rule.y) * sign), Infinity)
  const near = parts
    .filter((part) => part.kind !== 'tall' || part.bottom - part.top < part.size * 4)
    .filter((part) => isWithin(part, rule) && ((part.top + part.bottom) / 2 - rule.y) * sign > 0)
    .map((part) => ({
      part,
      from: isAbove ? rule.y - part.bottom : part.top - rule.y,
      to: isAbove ? rule.y - part.top : part.bottom - rule.y,
    }))
    .filter(({ part, from }) => from > -part.size * 0.45 && from < limit)
    .sort((a, b) => a.from - b.from)
  const content: FormulaPart[] = []
  let end = 0
  for (const { part, from, to } of near) {
    if (from > end + part.size * (content.length === 0 ? maxRuleGap : maxPartGap)) break
    content.push(part)
    end = Math.max(end, to)
  }
  return content
}

function isRootOf({ text, x1, top, size }: FormulaPart, { x0, y }: Rule): boolean {
  return text.endsWith('√') && Math.abs(x1 - x0) < size * maxRootGap && Math.abs(top - y) < size * 0.6
}

function foldRoot(root: FormulaPart, below: readonly FormulaPart[], layout: Layout): FormulaPart | null {
  if (below.length === 0) return null
  const main = below.reduce((a, b) => (b.size > a.size ? b : a))
  const text = `${root.text.slice(0, -1)}√${asDivisor(layout(below))}`
  return foldedPart([root, ...below], { text, y: main.y, size: main.size, kind: 'text' })
}

function foldFraction(
  rule: Rule,
  above: readonly FormulaPart[],
  { below, layout }: { below: readonly FormulaPart[]; layout: Layout },
): FormulaPart {
  const size = Math.max(...[...above, ...below].map((part) => part.size))
  const text = `${asOperand(layout(above))}/${asDivisor(layout(below))}`
  const part = foldedPart([...above, ...below], { text, y: rule.y + size * mathAxis, size, kind: 'fraction' })
  return { ...part, x0: Math.min(part.x0, rule.x0), x1: Math.max(part.x1, rule.x1) }
}
