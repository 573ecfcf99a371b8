import { FormatError } from '../format.ts'
import { readIndex, type IndexEntry } from './index-table.ts'
import type { KindleHeader } from './kindle-header.ts'
import type { PalmDatabase } from './palm-database.ts'

/** An entry of the table of contents. */
export interface ContentsEntry {
  title: string
  /** From 1. */
  level: number
  /** Its target: a byte offset in the text, or in KF8 a fragment and a byte offset within it. */
  place: { offset: number } | { fragment: number; offset: number } | null
}

const tagOf = { offset: 1, title: 3, place: 6, parent: 21 }
const maxDepth = 100

/** The table of contents in reading order; empty if it is missing or damaged. */
export function readContents(database: PalmDatabase, { contents, encoding }: KindleHeader): ContentsEntry[] {
  if (contents === null) return []
  try {
    const { entries, textAt } = readIndex(database, contents)
    const decoder = new TextDecoder(encoding)
    return inReadingOrder(entries).map(({ entry, level }) => ({
      title: decoder.decode(textAt(valueOf(entry, tagOf.title) ?? Number.MAX_SAFE_INTEGER)),
      level,
      place: placeOf(entry),
    }))
  } catch (error) {
    if (error instanceof FormatError && error.code === 'BROKEN') return []
    throw error
  }
}

function placeOf({ values }: IndexEntry): ContentsEntry['place'] {
  const [fragment, behind] = values.get(tagOf.place) ?? []
  if (fragment !== undefined && behind !== undefined) return { fragment, offset: behind }
  const [offset] = values.get(tagOf.offset) ?? []
  return offset === undefined ? null : { offset }
}

/**
 * Sorts entries into reading order: an index lists one level after the other, so each entry is placed after its parent.
 * Leaves out entries in a cycle.
 */
function inReadingOrder(entries: readonly IndexEntry[]): { entry: IndexEntry; level: number }[] {
  const children = new Map<number, number[]>()
  const roots: number[] = []
  for (const [at, entry] of entries.entries()) {
    const parent = valueOf(entry, tagOf.parent)
    const siblings = parent === null || parent >= entries.length || parent === at ? roots : children.get(parent)
    if (siblings) siblings.push(at)
    else children.set(parent as number, [at])
  }
  const ordered: { entry: IndexEntry; level: number }[] = []
  const waiting = roots.toReversed().map((at) => ({ at, level: 1 }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, level } = next
    ordered.push({ entry: entries[at] as IndexEntry, level })
    const below = Math.min(level + 1, maxDepth)
    for (const child of (children.get(at) ?? []).toReversed()) waiting.push({ at: child, level: below })
  }
  return ordered
}

function valueOf({ values }: IndexEntry, tag: number): number | null {
  return values.get(tag)?.[0] ?? null
}
