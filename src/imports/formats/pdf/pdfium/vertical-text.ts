import type { FontFace, TextRun } from '../page/pdf-file.ts'

/** A column of characters below each other, from top to bottom. */
interface Column {
  characters: TextRun[]
  /** The index of its last character in the order of the file. */
  lastIndex: number
  /** Readings beside it, by the number of characters before them. */
  readings: Map<number, string>
  /** The x of the middle of its line. */
  middle: number
}

/** Letters and signs of the scripts that are written from top to bottom. */
const eastAsian =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\u3000-\u303f\u30fc\ufe10-\ufe19\ufe30-\ufe4f\uff01-\uffee\u2026\u2014\u2015]$/u
/** The distances from a character to the one below it, in ems; `shifted` if it begins another column. */
const step = { least: 0.5, most: 1.6, aside: 0.3, shifted: 0.45 }
/** The maximum number of runs in the file between two characters of a column: readings can be between them. */
const maxBetween = 8
/** Limit on the runs of a page: one with more is a drawing. */
const maxRuns = 20_000
/** The share of the characters of a page that must be in columns of at least `minLength` characters. */
const [minShare, minLength] = [0.5, 3]
/** The size of readings, and the distance of their middle from that of the characters beside them, in ems of these. */
const reading = { least: 0.35, most: 0.65, near: 0.5, far: 1.1 }
/** The distance from the baseline of turned letters to their middle, in ems. */
const turnedMiddle = 0.36
/** The top of a character above its baseline, in ems. */
const top = 0.86

/**
 * Joins characters that a file places one by one below each other to vertical runs, if most of a page is written like
 * this. Readings beside a column follow the characters that they explain, in brackets.
 */
export function joinVerticalText(runs: readonly TextRun[]): TextRun[] {
  const singles = runs.reduce((sum, run) => sum + (isSingle(run) ? 1 : 0), 0)
  if (singles < minLength || singles < runs.length * minShare || runs.length > maxRuns) return [...runs]
  const columns = findColumns(runs)
  const inColumns = columns.reduce((sum, { characters: { length } }) => sum + (length < minLength ? 0 : length), 0)
  const all = runs.reduce((sum, { text }) => sum + text.length, 0)
  if (inColumns < all * minShare) return [...runs]
  const readings = placeReadings(columns)
  alignColumns(columns)
  const columnOf = new Map(columns.map((column) => [column.characters[0], column]))
  const vertical = new Set(columns.filter(({ characters }) => characters.length >= minLength).map(styleOf))
  const middles = new Set(columns.map(({ middle }) => middle))
  const faces = new Map<FontFace, FontFace>()
  return runs.flatMap((run) => {
    if (run.rotation === 1) return [inColumn(run, middles)]
    if (!isSingle(run)) return [run]
    const column = columnOf.get(run)
    if (column === undefined || readings.has(column)) return []
    return vertical.has(styleOf(column)) ? [toRun(column, faces)] : column.characters
  })
}

/** The size of a column, rounded: a single character does not show its direction, but others in its size do. */
function styleOf({ characters: [first] }: Column): number {
  return Math.round((first?.size ?? 0) * 10)
}

/** A turned word, such as a number, at the place of the column that contains it. */
function inColumn(run: TextRun, middles: ReadonlySet<number>): TextRun {
  const middle = run.x + run.size * turnedMiddle
  const x = middles.values().find((other) => Math.abs(other - middle) < run.size * step.aside)
  return x === undefined ? run : { ...run, x }
}

function isSingle({ text, rotation, slanted }: TextRun): boolean {
  return text.length === 1 && rotation === 0 && slanted !== true && eastAsian.test(text)
}

function findColumns(runs: readonly TextRun[]): Column[] {
  const columns: Column[] = []
  let open: Column[] = []
  for (const [index, run] of runs.entries()) {
    if (!isSingle(run)) continue
    open = open.filter(({ lastIndex }) => index - lastIndex <= maxBetween)
    const column = open.find(({ characters }) => isBelow(characters.at(-1), run))
    if (column !== undefined) {
      column.characters.push(run)
      column.lastIndex = index
      continue
    }
    const begun = { characters: [run], lastIndex: index, readings: new Map<number, string>(), middle: middleOf(run) }
    columns.push(begun)
    open.push(begun)
  }
  return columns
}

function isBelow(above: TextRun | undefined, run: TextRun): boolean {
  if (above === undefined || above.mcid !== run.mcid || Math.abs(above.size - run.size) > run.size * 0.01) return false
  const fall = (run.y - above.y) / run.size
  return fall >= step.least && fall <= step.most && Math.abs(run.x - above.x) < run.size * step.aside
}

/** Places columns that continue another one on its line. Some programs move characters with readings aside. */
function alignColumns(columns: readonly Column[]): void {
  for (const [at, column] of columns.entries()) {
    const size = column.characters[0]?.size ?? 0
    const before = columns.slice(Math.max(0, at - maxBetween), at).findLast((other) => {
      const isNear = Math.abs(other.middle - column.middle) < size * step.shifted
      return (
        isNear && styleOf(other) === styleOf(column) && Math.abs(startOf(column) - endOf(other)) < size * step.least
      )
    })
    if (before !== undefined) column.middle = before.middle
  }
}

/** Adds the columns that are readings to the columns on their left. Returns them. */
function placeReadings(columns: readonly Column[]): Set<Column> {
  const placed = new Set<Column>()
  for (const [at, column] of columns.entries()) {
    const base = columns.slice(Math.max(0, at - maxBetween), at + maxBetween).find((other) => isBeside(column, other))
    if (base === undefined) continue
    const end = endOf(column)
    const before = base.characters.filter(({ y, size }) => y - size * (top - 0.5) < end).length
    base.readings.set(before, (base.readings.get(before) ?? '') + textOf(column))
    placed.add(column)
  }
  return placed
}

/** Whether a column is a reading of another one. */
function isBeside(column: Column, base: Column): boolean {
  const [first, baseFirst] = [column.characters[0], base.characters[0]]
  if (first === undefined || baseFirst === undefined) return false
  const { size } = baseFirst
  const ratio = first.size / size
  if (ratio < reading.least || ratio > reading.most) return false
  const aside = (middleOf(first) - middleOf(baseFirst)) / size
  if (aside < reading.near || aside > reading.far) return false
  const center = (startOf(column) + endOf(column)) / 2
  return center > startOf(base) && center < endOf(base)
}

function middleOf({ x, size }: TextRun): number {
  return x + size / 2
}

function startOf({ characters: [first] }: Column): number {
  return first === undefined ? 0 : first.y - first.size * top
}

function endOf({ characters }: Column): number {
  const last = characters.at(-1)
  return last === undefined ? 0 : last.y + last.size * (1 - top)
}

function textOf({ characters, readings }: Column): string {
  let text = ''
  for (const [index, character] of characters.entries()) {
    text += character.text.normalize('NFKC')
    const found = readings.get(index + 1)
    if (found !== undefined) text += `(${found})`
  }
  return text
}

function toRun(column: Column, faces: Map<FontFace, FontFace>): TextRun {
  const [first] = column.characters as [TextRun]
  const face = faces.get(first.font) ?? { ...first.font, vertical: true }
  faces.set(first.font, face)
  return {
    ...first,
    text: textOf(column),
    x: column.middle,
    y: startOf(column),
    width: endOf(column) - startOf(column),
    font: face,
    rotation: 1,
  }
}
