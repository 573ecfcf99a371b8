import type { Block } from './blocks.ts'
import type { PagePositions } from './page-positions.ts'
import type { HrefTarget, PathResolver } from './resolve-path.ts'

/*
 * Links within a book become links to pages: `[text](page:12)`. The page of a target is known only after the text has
 * been divided into pages, so until then the number of the target stands for it, in hexadecimal digits from U+0080 on.
 * Control characters are safe for this, because the text does not contain them.
 */
const [textStart, textEnd] = ['\u0097', '\u0098']
const firstDigit = 0x80
const linkPattern = /\u0097([^\u0097\u0098]*)\u0098([\u0080-\u008F]+)/g
const placeholder = /[\u0080-\u008F\u0097\u0098]/g
/**
 * Text that can be a link: without links, pictures and line breaks, with its brackets in pairs, and not to be read as a
 * note.
 */
// eslint-disable-next-line no-control-regex
const linkable = /^(?!\^)[^[\]\u0002\u0097\n]*(?:\[[^[\]\u0002\u0097\n]*\][^[\]\u0002\u0097\n]*)*$/

/** Maximum number of distinct targets of a book, and of the files in its addresses; further links become text. */
const maxTargets = 200_000
/**
 * Pages are held back up to this length of text, or of the markup that is read meanwhile, in UTF-16 units, so that the
 * first page does not take seconds. In a longer book, links lead back only.
 */
const maxHeldLength = 6 * 1024 * 1024
const maxHeldMarkup = 24 * 1024 * 1024
/** The length of `[](page:123)` without the placeholder, in UTF-16 units. */
const addressLength = 8

/** True for a text that begins with a link to a page. */
export const isLinkStart = (text: string): boolean => text.startsWith(textStart)

/** The text with its links to pages as text. */
export const withoutLinks = (text: string): string => text.replaceAll(placeholder, '')

/** A file with targets, and their numbers by fragment. */
interface LinkedFile {
  path: string
  numbers: Map<string | null, number>
}

/** The links of a book to its own pages. */
export class PageLinks {
  private readonly resolvePath: PathResolver
  private readonly positions: PagePositions
  private readonly targets: HrefTarget[] = []
  /** The files by the path in the address; null for a file that is not in the book. */
  private readonly files = new Map<string, LinkedFile | null>()

  constructor(resolvePath: PathResolver, positions: PagePositions) {
    this.resolvePath = resolvePath
    this.positions = positions
  }

  /** Returns a function that makes a text of the file `base` a link to a target; null for a target outside the book. */
  writerFor(base: string, target: HrefTarget): ((text: string) => string) | null {
    const number = target.path === base && target.fragment === null ? null : this.numberOf(target)
    if (number === null) return null
    return (text) =>
      linkable.test(text) && !text.includes('](') ? `${textStart}${text}${textEnd}${toDigits(number)}` : text
  }

  /**
   * Writes the page numbers of the links on a page of the file `path`. A link that leads to the same page, or nowhere,
   * becomes text; one to a missing element of another file leads to the start of that file.
   */
  write(content: string, { path, number: page }: { path: string; number: number }): string {
    if (!content.includes(textStart) && !content.includes(textEnd)) return content
    const written = content.replaceAll(linkPattern, (_, text: string, digits: string) => {
      const target = this.targets[fromDigits(digits)]
      const found = target ? this.pageOf(target, path) : null
      return found === null || found === page ? text : `[${text}](page:${found})`
    })
    // The end of a page can divide a very long link.
    return written.includes(textStart) || written.includes(textEnd) ? withoutLinks(written) : written
  }

  private pageOf(target: HrefTarget, from: string): number | null {
    const { path, fragment } = target
    return (
      (fragment === null ? null : this.positions.pageOfElement(path, fragment)) ??
      (path === from ? null : this.positions.pageOf({ path, fragment: null }))
    )
  }

  private numberOf({ path, fragment }: HrefTarget): number | null {
    const file = this.fileAt(path)
    const known = file?.numbers.get(fragment)
    if (file === null || known !== undefined) return known ?? null
    if (this.targets.length >= maxTargets) return null
    const number = this.targets.push({ path: file.path, fragment }) - 1
    file.numbers.set(fragment, number)
    return number
  }

  private fileAt(path: string): LinkedFile | null {
    const known = this.files.get(path)
    if (known !== undefined || this.files.size >= maxTargets) return known ?? null
    const found = this.resolvePath(path)
    const file = found === null ? null : { path: found, numbers: new Map<string | null, number>() }
    this.files.set(path, file)
    return file
  }
}

function toDigits(number: number): string {
  let digits = ''
  for (let rest = number; digits === '' || rest > 0; rest >>= 4)
    digits = String.fromCharCode(firstDigit + (rest & 15)) + digits
  return digits
}

function fromDigits(digits: string): number {
  let number = 0
  for (let at = 0; at < digits.length; at++) number = number * 16 + digits.charCodeAt(at) - firstDigit
  return number
}

/**
 * Passes pages on in order, from the first one with a link on only when the pages of all targets are known: after the
 * last page, or when a limit is reached. `markupLength` is that of the markup that has been read so far.
 */
export async function* holdPages<P extends { blocks: readonly Block[] | null }>(
  pages: AsyncIterable<P>,
  markupLength: () => number = () => 0,
): AsyncGenerator<P> {
  let held: P[] = []
  let length = 0
  let markupBefore = 0
  for await (const page of pages) {
    if (held.length === 0 && page.blocks?.some(hasLink) !== true) {
      yield page
      markupBefore = markupLength()
      continue
    }
    held.push(page)
    length += page.blocks?.reduce((sum, { body }) => sum + body.length, 0) ?? 0
    if (length < maxHeldLength && markupLength() - markupBefore < maxHeldMarkup) continue
    yield* held
    held = []
    length = 0
    markupBefore = markupLength()
  }
  yield* held
}

/** The length of the addresses that the links of a block will have, in UTF-16 units. */
export function addressesLength(block: Block): number {
  return hasLink(block) ? (block.body.split(textEnd).length - 1) * addressLength : 0
}

function hasLink({ kind, head, body }: Block): boolean {
  return kind !== 'fence' && (body.includes(textEnd) || head.includes(textEnd))
}
