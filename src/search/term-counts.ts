import { readPages } from './page-index.ts'

/*
 * What the ranking of books knows of a term in a book, in one byte: in which of four fields it stands (upper half) and how
 * often it stands in the text (lower half, a number of a rising scale).
 */

export const fields = { title: 0x10, author: 0x20, description: 0x40, outline: 0x80 } as const

const scale = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512]

/** The code of a term that stands `count` times in the text and in the fields of `mask`. */
export function codeOf(count: number, mask: number): number {
  let step = scale.length - 1
  while ((scale[step] as number) > count) step--
  return mask | step
}

/** About how often a term stands in the text, from its code. */
export function countOf(code: number): number {
  return scale[code & 0x0f] as number
}

/** Codes of one book that are still counted up. */
export type Tally = Map<number, { count: number; mask: number }>

/** Adds the pages that `isLive` of a term to a book's tally. */
export function tallyPages(
  tally: Tally,
  [hash, entry]: [number, Uint8Array],
  isLive: (ordinal: number) => boolean,
): void {
  let count = 0
  let mask = 0
  readPages(entry, (posting) => {
    if (!isLive(posting.ordinal)) return
    count += posting.count
    if (posting.inHeading) mask = fields.outline
  })
  if (count > 0) add(tally, hash, { count, mask })
}

/** Adds the fields of a book in which a term stands: its pseudo-pages, see `about-index.ts`. */
export function tallyFields(tally: Tally, [hash, entry]: [number, Uint8Array]): void {
  let mask = 0
  readPages(entry, ({ ordinal }) => {
    mask |= [fields.title, fields.author, fields.description][ordinal] ?? fields.outline
  })
  add(tally, hash, { count: 0, mask })
}

function add(tally: Tally, hash: number, { count, mask }: { count: number; mask: number }): void {
  const known = tally.get(hash)
  if (known) {
    known.count += count
    known.mask |= mask
  } else {
    tally.set(hash, { count, mask })
  }
}
