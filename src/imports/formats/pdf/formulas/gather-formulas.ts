import type { Block, Line } from '../page/page-parts.ts'

type Paragraph = Extract<Block, { kind: 'paragraph' }>

/**
 * Maximum length of a paragraph that is a fragment of a formula, such as the limit of a sum, a bar or a bracket, in
 * characters.
 */
const maxFragment = 3
const maxFormulaLines = 4
/** Maximum distance between the lines of one formula, in ems. */
const maxGap = 2.4
const mathSign = /[=+−×÷·±≤≥≈≡∼∈⊂∀∃∑∏∫√→∞∂∇⟨⟩|^]|[\u{1d400}-\u{1d7ff}]|\p{Script=Greek}/u
const word = /\p{L}{4,}/gu

/** Joins the parts of a display formula that are above each other, so that single symbols do not become paragraphs. */
export function gatherFormulas(blocks: readonly Block[]): Block[] {
  const gathered: Block[] = []
  for (const block of blocks) {
    const last = gathered.at(-1)
    if (last?.kind === 'paragraph' && block.kind === 'paragraph' && areOneFormula(last, block)) {
      gathered[gathered.length - 1] = { kind: 'paragraph', lines: [...last.lines, ...block.lines] }
    } else {
      gathered.push(block)
    }
  }
  return gathered
}

function areOneFormula(above: Paragraph, below: Paragraph): boolean {
  if (!isFragment(above) && !isFragment(below) && !isPartOfFormula(above)) return false
  if (!isPartOfFormula(above) || !isPartOfFormula(below) || !hasSign(above, below)) return false
  const [last, first] = [above.lines.at(-1), below.lines[0]]
  if (!last || !first) return false
  return Math.abs(first.y - last.y) <= Math.max(largestSize(above.lines), largestSize(below.lines)) * maxGap
}

function hasSign(...parts: readonly Paragraph[]): boolean {
  return parts.some((part) => mathSign.test(textOf(part)))
}

function isFragment(block: Paragraph): boolean {
  return textOf(block).replace(/\s/g, '').length <= maxFragment
}

/** Whether a paragraph is short, contains math symbols and has at most one longer word. */
function isPartOfFormula(block: Paragraph): boolean {
  if (isFragment(block)) return true
  const text = textOf(block)
  if (block.lines.length > maxFormulaLines * 3 || text.length > 300) return false
  return mathSign.test(text) && (text.match(word)?.length ?? 0) <= 1
}

function textOf({ lines }: Paragraph): string {
  return lines.map(({ text }) => text).join(' ')
}

function largestSize(lines: readonly Line[]): number {
  return lines.reduce((size, line) => Math.max(size, line.size), 0)
}
