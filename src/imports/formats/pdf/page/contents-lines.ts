import type { Calibration } from '../calibration.ts'
import { maxTightLeading, minMonoShare } from './code-lines.ts'
import { foldTitle } from '../../fold-title.ts'
import { joinLineEnd, type Vocabulary } from './hyphenation.ts'
import { isIndexEntry, leader, pageNumber } from '../characters/text.ts'
import type { Line } from './page-parts.ts'

/** Dots without spaces between them. In a line of code they are typed, because leader dots have spaces between them. */
const typedLeader = /\.{3}/
/** Leader dots after a title that leaves no space for more. */
const shortLeader = /(?:\s[.·…]){2,3}\s*(\d{1,4})$/
/** Maximum distance between two lines of a table of contents, or from its title to the first line, in ems. */
const maxLeading = 4.5

/** The number of a section at the start of an entry. */
const sectionNumber = /^(?:\d+|[A-Z](?=\.))(?:\.\d+)*\.?\s/
/**
 * Maximum number of lines of a title above its last one, minimum width of the first of them relative to the last, and
 * minimum indent of the last line, in ems.
 */
const maxTitleLines = 3
const minWrappedShare = { numbered: 0.3, other: 0.6 }
const minHanging = 0.4

/** Titles of tables of contents and of lists of figures and tables, folded. */
const contentsTitles = new Set(
  [
    ['contents', 'table of contents', 'list of figures', 'list of tables'],
    ['Inhalt', 'Inhaltsverzeichnis', 'Abbildungsverzeichnis', 'Tabellenverzeichnis'],
    ['table des matières', 'sommaire', 'table des figures', 'liste des tableaux'],
    ['índice', 'índice general', 'índice de figuras', 'índice de tablas', 'contenido'],
    ['sumário', 'lista de figuras', 'lista de tabelas', 'conteúdo'],
    ['indice', 'sommario', 'elenco delle figure', 'elenco delle tabelle'],
    ['inhoud', 'inhoudsopgave', 'spis treści', 'obsah', 'tartalomjegyzék', 'cuprins', 'içindekiler', 'mục lục'],
    ['innehåll', 'innehållsförteckning', 'indhold', 'indholdsfortegnelse', 'innhold', 'sisällys', 'sisällysluettelo'],
    ['содержание', 'оглавление', 'зміст', 'съдържание', 'садржај', 'περιεχόμενα'],
    [
      '目录',
      '目錄',
      '目次',
      '차례',
      '목차',
      'فهرست مطالب',
      'فهرست',
      'المحتويات',
      'الفهرس',
      'תוכן העניינים',
      'สารบัญ',
      'विषय सूची',
    ],
  ]
    .flat()
    .map(foldTitle),
)

/**
 * Whether a line looks like an entry of a table of contents: a title, then leader dots or a wide gap, then a page
 * number.
 */
export function isContentsLine(line: Line): boolean {
  if (leader.test(line.text) || shortLeader.test(line.text)) return true
  const last = line.pieces.at(-1)
  return last !== undefined && last.hasTabBefore && pageNumber.test(last.text) && line.pieces.length > 1
}

/**
 * The lines of tables of contents in a region. A line with leader dots is always one. A line with only a wide gap is
 * one if it is next to another entry or below a title such as "Contents".
 */
export function findContentsLines(lines: readonly Line[], { monoBody }: Pick<Calibration, 'monoBody'>): Set<Line> {
  const isCode = (line: Line) => !monoBody && line.mono >= minMonoShare && typedLeader.test(line.text)
  const found = new Set(lines.filter((line) => leader.test(line.text) && !isCode(line)))
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1]
    if (!above || !isNext(above, line) || !isContentsLine(line)) continue
    if (found.has(above) || contentsTitles.has(foldTitle(above.text))) found.add(line)
  }
  for (const [index, line] of [...lines.entries()].toReversed()) {
    const below = lines[index + 1]
    if (below && found.has(below) && isNext(line, below) && isContentsLine(line)) found.add(line)
  }
  return found
}

function isNext(above: Line, below: Line): boolean {
  return below.y - above.y < Math.max(above.size, below.size) * maxLeading
}

/**
 * Joins the lines of each entry whose title is longer than a line, and adds the joined line to `contents`. Only the last
 * line of such an entry looks like one.
 */
export function joinContentsLines(lines: readonly Line[], contents: Set<Line>, vocabulary: Vocabulary): Line[] {
  if (contents.size === 0) return [...lines]
  const joined: Line[] = []
  for (const line of lines) {
    const parts = contents.has(line) ? partsBefore(line, joined, contents) : []
    if (parts.length > 0) {
      joined.length -= parts.length
      const entry = joinLines([...parts, line], vocabulary)
      contents.add(entry)
      joined.push(entry)
    } else joined.push(line)
  }
  return joined
}

/** The lines above the last line of an entry that belong to it. */
function partsBefore(last: Line, above: readonly Line[], contents: ReadonlySet<Line>): Line[] {
  const parts: Line[] = []
  let first = last
  while (parts.length < maxTitleLines && !sectionNumber.test(first.text)) {
    const part = above[above.length - 1 - parts.length]
    if (!part || contents.has(part) || !isPart(part, first)) break
    parts.unshift(part)
    first = part
  }
  const before = above[above.length - 1 - parts.length]
  const isNumbered = sectionNumber.test(first.text)
  const isWrapped = first.x1 - first.x0 >= (last.x1 - first.x0) * minWrappedShare[isNumbered ? 'numbered' : 'other']
  const isHanging = first.x0 < last.x0 - last.size * minHanging
  return isWrapped && (isNumbered || isHanging || (before !== undefined && contents.has(before))) ? parts : []
}

/** Whether a line can be part of a title that continues on the line below. An entry of an index cannot. */
function isPart(line: Line, below: Line): boolean {
  const em = below.size
  const isClose = below.y - line.y < em * maxTightLeading && Math.abs(line.size - em) < em * 0.1
  if (isIndexEntry(line.text)) return false
  return isClose && line.table === undefined && line.formula === undefined && line.x0 < below.x0 + em * minHanging
}

function joinLines(lines: readonly Line[], vocabulary: Vocabulary): Line {
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line]
  const pieces = lines.flatMap((line) =>
    line.pieces.map((piece, index) => (index === 0 ? { ...piece, hasSpaceBefore: true, hasTabBefore: false } : piece)),
  )
  const text = lines.map((line) => line.text).reduce((above, below) => joinTexts(above, below, vocabulary))
  return { ...last, x0: first.x0, x1: Math.max(...lines.map(({ x1 }) => x1)), pieces, text }
}

function joinTexts(above: string, below: string, vocabulary: Vocabulary): string {
  const { trimCharacters, separator } = joinLineEnd(above, below, vocabulary)
  return above.slice(0, above.length - trimCharacters) + separator + below
}

/** Splits a line of a table of contents into its title and its page number. */
export function splitContentsLine({ text, pieces }: Line): { title: string; page: string } {
  const match = leader.exec(text) ?? shortLeader.exec(text)
  const page = match?.[1] ?? pieces.at(-1)?.text ?? ''
  return { title: text.slice(0, match?.index ?? -page.length).trim(), page }
}
