import { scanFile } from './scan-notes.ts'

/** A note that is placed on the page of its reference. Offsets are in the source of its file. */
export interface PlacedNote {
  from: number
  to: number
  /** True for a table row. */
  isRow: boolean
  /** The displayed text of its reference. */
  shown: string
  /** The page of its first reference; null until it is known. */
  page: number | null
}

/** An element with an id or the start of a printed page, which the table of contents or the page list may refer to. */
const anchor = /<[a-z][^<>]*\s(?:id|name|epub:type|role)\s*=[^<>]*>/gi
const idOf = /\s(?:id|name)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')/i
const pageBreak = /\s(?:epub:type|role)\s*=\s*["'](?:[^"']*\s)?(?:doc-)?pagebreak/i

/**
 * The source of an XHTML file without the notes that are placed elsewhere. Each run of them is replaced by their
 * numbers, as links to their pages; ids and starts of printed pages are kept.
 */
export function leaveOutNotes(source: string, placed: readonly PlacedNote[]): string {
  const sorted = disjoint(placed)
  const numbered = numberItems(source, sorted)
  let written = ''
  let end = 0
  let run: PlacedNote[] = []
  for (const note of sorted) {
    const gap = numbered(end, note.from)
    if (run.length > 0 && hasContent(gap)) {
      written += numbersOf(run)
      run = []
    }
    written += gap + anchorsIn(source.slice(note.from, note.to), note.isRow)
    run.push(note)
    end = note.to
  }
  return written + numbersOf(run) + numbered(end, source.length)
}

/** Sorts notes in file order; of two overlapping ones it keeps the first, which is the outer one. */
function disjoint(placed: readonly PlacedNote[]): PlacedNote[] {
  const kept: PlacedNote[] = []
  for (const note of placed.toSorted((one, other) => one.from - other.from || other.to - one.to))
    if (note.from >= (kept.at(-1)?.to ?? 0)) kept.push(note)
  return kept
}

function hasContent(markup: string): boolean {
  return /<(?:h[1-6]|hr|img|image|svg)\b/i.test(markup) || markup.replace(/<[^<>]*>|&nbsp;|&#160;/g, '').trim() !== ''
}

/** The source between two offsets; list items keep their numbers although others are removed. */
function numberItems(source: string, placed: readonly PlacedNote[]): (from: number, to: number) => string {
  const { blocks = [] } = placed.some(({ from }) => source.startsWith('<li', from)) ? (scanFile(source) ?? {}) : {}
  const leaves = new Set(placed.map(({ from }) => from))
  const shortened = new Set(blocks.filter(({ from }) => leaves.has(from)).map(({ parent }) => parent))
  const items = blocks.filter(
    ({ parent, ordinal, hasNumber, from }) =>
      ordinal !== null && !hasNumber && shortened.has(parent) && !leaves.has(from),
  )
  let next = 0
  return (from, to) => {
    let text = ''
    let end = from
    for (; next < items.length && (items[next]?.from ?? to) < to; next++) {
      const { from: at = 0, ordinal = 0 } = items[next] ?? {}
      if (at < end) continue
      text += `${source.slice(end, at + 3)} value="${ordinal}"`
      end = at + 3
    }
    return text + source.slice(end, to)
  }
}

function anchorsIn(markup: string, isRow: boolean): string {
  let kept = ''
  for (const { 0: tag, index } of markup.matchAll(anchor)) {
    const id = idOf.exec(tag)
    const name = id?.[1] ?? id?.[2]
    const label = /^[^<]{0,20}(?=<\/)/.exec(markup.slice(index + tag.length, index + tag.length + 30))?.[0] ?? ''
    const element = /^<(\w+)/.exec(tag)?.[1] ?? 'span'
    if (pageBreak.test(tag)) kept += tag.endsWith('/>') ? tag : `${tag}${label}</${element}>`
    else if (name !== undefined) kept += `<a id="${name}"></a>`
  }
  return isRow && kept !== '' ? `<tr><td>${kept}</td></tr>` : kept
}

/** The numbers of a run of notes as links to their pages; consecutive numbers on one page become a range. */
function numbersOf(run: readonly PlacedNote[]): string {
  const groups: { shown: string; last: string; page: number }[] = []
  for (const { shown, page } of run) {
    const group = groups.at(-1)
    if (page === null) continue
    const follows = group?.page === page && /^\d+$/.test(shown) && Number(shown) === Number(group.last) + 1
    if (follows) group.last = shown
    else groups.push({ shown, last: shown, page })
  }
  const links = groups.map(
    ({ shown, last, page }) => `<a href="page:${page}">${escape(shown)}${last === shown ? '' : `–${last}`}</a>`,
  )
  if (links.length === 0) return ''
  const text = links.join(' ')
  return run.at(-1)?.isRow === true ? `<tr><td>${text}</td></tr>` : `<p>${text}</p>`
}

function escape(text: string): string {
  return (text || '*').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
