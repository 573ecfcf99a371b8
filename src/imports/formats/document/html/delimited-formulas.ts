/** The delimiters of formulas: the defaults of MathJax and KaTeX, or also single dollar signs. */
export type Delimiters = 'usual' | 'dollars'

interface FoundFormula {
  tex: string
  isDisplayed: boolean
}

const opener = /\\\(|\\\[|\$\$?|\\begin\{(?:equation|align|gather|multline|eqnarray)\*?\}/g
/** Maximum length of a formula in characters; longer texts are left as text. */
const maxFormula = 4_000

/** Splits a text into plain parts and formulas between delimiters. Takes linear time. */
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

/**
 * Wraps the TeX of a standalone environment, such as `align`, for use between dollar signs; returns other formulas
 * unchanged.
 */
export function environment(source: string): string {
  const [, name = '', inner = ''] =
    /^\\begin\{(equation|align|gather|multline|eqnarray)\*?\}([^]*)\\end\{\1\*?\}$/.exec(source) ?? []
  if (name === '') return source
  if (name === 'equation' || name === 'multline') return inner
  return name === 'gather' ? `\\begin{gathered}${inner}\\end{gathered}` : `\\begin{aligned}${inner}\\end{aligned}`
}

/** A dollar sign before a digit or a space usually denotes an amount of money. */
function startsFormula(text: string, from: number, delimiters: Delimiters): boolean {
  return delimiters === 'dollars' && /\S/.test(text[from] ?? '')
}

function isEscaped(text: string, at: number): boolean {
  return text[at - 1] === '\\' && text[at - 2] !== '\\'
}

/** The next position of `wanted`, cached for all openers before it. */
function nextIndex(text: string, wanted: string, { from, ends }: { from: number; ends: Map<string, number> }): number {
  const known = ends.get(wanted)
  if (known !== undefined && (known < 0 || known >= from)) return known
  const found = text.indexOf(wanted, from)
  ends.set(wanted, found)
  return found
}
