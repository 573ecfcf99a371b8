import { createHashNumbers, hasHash, numberOfHash, type HashNumbers } from './hash-numbers.ts'
import { forEachPosting, type FinishedIndex } from './page-index.ts'

/*
 * The occurrences of a term in a book, encoded in one byte for ranking books: a bit for each of four fields (upper half) and the
 * approximate number of occurrences in the text (lower half, an index into `countScale`).
 */

export const fieldBits = { title: 0x10, author: 0x20, description: 0x40, outline: 0x80 } as const

const countScale = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512]

/** Returns the code of a term with `count` occurrences in the text that is also in the fields of `fieldMask`. */
function encodeTermCode(count: number, fieldMask: number): number {
  let step = countScale.length - 1
  while ((countScale[step] as number) > count) step--
  return fieldMask | step
}

/** Returns the approximate number of occurrences in the text, from a code. */
export function decodeCount(code: number): number {
  return countScale[code & 0x0f] as number
}

/**
 * The term counts of one book during indexing. For each hash number: 256 times the number of occurrences in the text, plus the field bits.
 */
export interface TermCounts {
  numbers: HashNumbers
  counts: Float64Array
}

/** Creates the counts of a book without terms. */
export function createTermCounts(): TermCounts {
  return { numbers: createHashNumbers(), counts: new Float64Array(1024) }
}

/** True if a book has a term. */
export function hasTerm({ numbers }: TermCounts, hash: number): boolean {
  return hasHash(numbers, hash)
}

const countUnit = 0x100

/** Returns the one-byte code for an element of `counts`. */
export function encodeCounts(counts: number): number {
  return encodeTermCode(Math.floor(counts / countUnit), counts % countUnit)
}

/** Adds all occurrences in a new unit to a book's counts. */
export function countUnitTerms(
  termCounts: TermCounts,
  { hashes, counts, headings }: Pick<FinishedIndex, 'hashes' | 'counts' | 'headings'>,
): void {
  for (let at = 0; at < hashes.length; at++) {
    const mask = headings[at] === 0 ? 0 : fieldBits.outline
    addTerm(termCounts, hashes[at] as number, { count: counts[at] as number, mask })
  }
}

/** Adds the occurrences of a term on live pages to a book's counts. */
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

/** Adds the fields in which a book contains a term. They are its pseudo-pages, see `metadata-index.ts`. */
export function countFields(counts: TermCounts, [hash, entry]: [number, Uint8Array]): void {
  let mask = 0
  forEachPosting(entry, ({ ordinal }) => {
    mask |= [fieldBits.title, fieldBits.author, fieldBits.description][ordinal] ?? fieldBits.outline
  })
  addTerm(counts, hash, { count: 0, mask })
}

function addTerm(termCounts: TermCounts, hash: number, { count, mask }: { count: number; mask: number }): void {
  const number = numberOfHash(termCounts.numbers, hash)
  if (number === termCounts.counts.length) {
    const larger = new Float64Array(number * 2)
    larger.set(termCounts.counts)
    termCounts.counts = larger
  }
  const known = termCounts.counts[number] as number
  const fields = known % countUnit
  termCounts.counts[number] = known - fields + count * countUnit + (fields | mask)
}
