import type { Calibration } from './calibration.ts'
import { minMonoShare } from './code-lines.ts'
import { foldTitle } from './fold-title.ts'
import { leader, pageNumber } from './text.ts'
import type { Line } from './page-parts.ts'

/** Dots without spaces between them. In a line of code they are typed, because leader dots have spaces between them. */
const typedLeader = /\.{3}/
/** Maximum distance between two lines of a table of contents, or from its title to the first line, in ems. */
const maxLeading = 4.5

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
  if (leader.test(line.text)) return true
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

/** Splits a line of a table of contents into its title and its page number. */
export function splitContentsLine(line: Line): { title: string; page: string } {
  const page = leader.exec(line.text)?.[1] ?? line.pieces.at(-1)?.text ?? ''
  const title = leader.test(line.text) ? line.text.replace(leader, '') : line.text.slice(0, -page.length)
  return { title: title.trim(), page }
}
