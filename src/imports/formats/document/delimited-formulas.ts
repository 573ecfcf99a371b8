/** The delimiters of formulas that are looked for: those of MathJax and KaTeX by default, or single dollar signs as well. */
export type Delimiters = 'usual' | 'dollars'

interface FoundFormula {
  tex: string
  isDisplayed: boolean
}

const opener = /\\\(|\\\[|\$\$?|\\begin\{(?:equation|align|gather|multline|eqnarray)\*?\}/g
/** Longer texts are not formulas. */
const maxFormula = 4_000

/** A text as its plain parts and the formulas between delimiters. Linear in the text. */
export function findDelimited(text: string, delimiters: Delimiters): (string | FoundFormula)[] {
  if (!/[\\$]/.test(text)) return [text]
  const parts: (string | FoundFormula)[] = []
  const ends = new Map<string, number>()
  let written = 0
  opener.lastIndex = 0
  for (let found = opener.exec(text); found !== null; found = opener.exec(text)) {
    const [open] = found
    const from = found.index + open.length
    if (isEscaped(text, found.index) || (open === '$' && !startsFormula(text, from, delimiters))) continue
    const close = closerOf(open)
    const end = nextIndex(text, close, { from, ends })
    if (end < 0 || end - from > maxFormula || text.slice(from, end).trim() === '') continue
    if (open === '$' && (/\s/.test(text[end - 1] ?? '') || /\d/.test(text[end + 1] ?? ''))) continue
    const isEnvironment = open.startsWith('\\begin')
    if (found.index > written) parts.push(text.slice(written, found.index))
    written = end + close.length
    parts.push({
      tex: isEnvironment ? environment(text.slice(found.index, written)) : text.slice(from, end),
      isDisplayed: open !== '\\(' && open !== '$',
    })
    opener.lastIndex = written
  }
  if (written < text.length) parts.push(text.slice(written))
  return parts
}

function closerOf(open: string): string {
  if (open === '\\(') return '\\)'
  if (open === '\\[') return '\\]'
  return open.replace('\\begin', '\\end')
}

/** The TeX of a formula that is an environment of its own, such as `align`, for use between dollar signs; others stay. */
export function environment(source: string): string {
  const [, name = '', inner = ''] =
    /^\\begin\{(equation|align|gather|multline|eqnarray)\*?\}([^]*)\\end\{\1\*?\}$/.exec(source) ?? []
  if (name === '') return source
  if (name === 'equation' || name === 'multline') return inner
  return name === 'gather' ? `\\begin{gathered}${inner}\\end{gathered}` : `\\begin{aligned}${inner}\\end{aligned}`
}

/** A dollar sign before a digit or a blank is an amount of money as a rule. */
function startsFormula(text: string, from: number, delimiters: Delimiters): boolean {
  return delimiters === 'dollars' && /\S/.test(text[from] ?? '')
}

function isEscaped(text: string, at: number): boolean {
  return text[at - 1] === '\\' && text[at - 2] !== '\\'
}

/** The next place of `wanted`, found once for all openers before it. */
function nextIndex(text: string, wanted: string, { from, ends }: { from: number; ends: Map<string, number> }): number {
  const known = ends.get(wanted)
  if (known !== undefined && (known < 0 || known >= from)) return known
  const found = text.indexOf(wanted, from)
  ends.set(wanted, found)
  return found
}
