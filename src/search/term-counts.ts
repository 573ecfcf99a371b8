import { forEachPosting } from './page-index.ts'

/*
 * What the ranking of books knows of a term in a book, in one byte: in which of four fields it stands (upper half) and how
 * often it stands in the text (lower half, a number of a rising scale).
 */

export const fieldBits = { title: 0x10, author: 0x20, description: 0x40, outline: 0x80 } as const

const countScale = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512]

/** The code of a term that stands `count` times in the text and in the fields of `mask`. */
export function encodeTermCode(count: number, fieldMask: number): number {
  let step = countScale.length - 1
  while ((countScale[step] as number) > count) step--
  return fieldMask | step
}

/** About how often a term stands in the text, from its code. */
export function decodeCount(code: number): number {
  return countScale[code & 0x0f] as number
}

/** Codes of one book that are still counted up. */
export type TermCounts = Map<number, { count: number; mask: number }>

/** Adds the pages that `isLive` of a term to a book's tally. */
export function countPages(
  counts: TermCounts,
  [hash, entry]: [number, Uint8Array],
  isLive: (ordinal: number) => boolean,
): void {
  let count = 0
  let mask = 0
  forEachPosting(entry, (posting) => {
    if (!isLive(posting.ordinal)) return
    count += posting.count
    if (posting.inHeading) mask = fieldBits.outline
  })
  if (count > 0) addTerm(counts, hash, { count, mask })
}

/** Adds the fields of a book in which a term stands: its pseudo-pages, see `about-index.ts`. */
export function countFields(counts: TermCounts, [hash, entry]: [number, Uint8Array]): void {
  let mask = 0
  forEachPosting(entry, ({ ordinal }) => {
    mask |= [fieldBits.title, fieldBits.author, fieldBits.description][ordinal] ?? fieldBits.outline
  })
  addTerm(counts, hash, { count: 0, mask })
}

function addTerm(counts: TermCounts, hash: number, { count, mask }: { count: number; mask: number }): void {
  const known = counts.get(hash)
  if (known) {
    known.count += count
    known.mask |= mask
  } else {
    counts.set(hash, { count, mask })
  }
}
