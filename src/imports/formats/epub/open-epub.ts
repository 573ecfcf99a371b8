import { convertXhtml } from './convert-xhtml.ts'
import { decodeMarkup } from './decode-markup.ts'
import { readNavigation } from './book-navigation.ts'
import type { BookNavigation, Places } from './book-navigation.ts'
import { NoteLabels } from './note-labels.ts'
import { readPackage } from './package.ts'
import type { BookPackage, SpineItem } from './package.ts'
import { paginate } from './paginate.ts'
import type { BookPage } from './paginate.ts'
import { createLocator } from './resolve-path.ts'
import { refuseProtected } from './require-unprotected.ts'
import type { ExtractedPage, FormatLimits, OpenBook } from '../format.ts'
import { FormatError } from '../format.ts'
import { unreadableShare } from '../../../text/unreadable-share.ts'
import { openZip } from '../zip/open-zip.ts'
import type { Archive } from '../zip/open-zip.ts'

/** Opens an EPUB 2 or 3. A file of the reading order begins a page; long files are cut into pages of about 3,000 characters. */
export const openEpub: OpenBook = async (bytes, limits) => {
  const archive = await openZip(bytes, limits)
  await refuseProtected(archive)
  const locate = createLocator(archive.paths)
  const book = await readPackage(archive, locate, limits)
  const navigation = await readNavigation(archive, { book, locate })
  const reader = new Reader(archive, { book, navigation, limits })
  return {
    info: book.info,
    pageCount: null,
    pages: () => reader.pages(),
    toc: async () => navigation.toc(reader.places),
    close: async () => reader.close(),
  }
}

interface Parts {
  book: BookPackage
  navigation: BookNavigation
  limits: FormatLimits
}

class Reader {
  readonly places: Places = { files: new Map(), ids: new Map(), count: 0 }
  private archive: Archive | null
  private readonly parts: Parts
  private readonly notes = new NoteLabels()
  /** The printed page that the text has reached. */
  private label: string | null = null

  constructor(archive: Archive, parts: Parts) {
    this.archive = archive
    this.parts = parts
  }

  async *pages(): AsyncGenerator<ExtractedPage> {
    for (const item of this.parts.book.spine) {
      if (this.archive === null) return
      this.places.files.set(item.path, this.places.count + 1)
      yield* this.read(item, this.archive)
    }
    if (this.places.count === 0) throw new FormatError('EMPTY', 'no file of the book has text or a picture')
  }

  close(): void {
    this.archive = null
  }

  private async *read(item: SpineItem, archive: Archive): AsyncGenerator<ExtractedPage> {
    const { book, navigation } = this.parts
    if (item.picture) return yield this.place(item.path, null)
    const { blocks, trailing, pictures } = convertXhtml(decodeMarkup(await archive.read(item.path)), {
      path: item.path,
      ids: navigation.idsIn(item.path),
      labels: navigation.labelsIn(item.path),
      notes: this.notes,
      navigation: item.path === book.nav,
    })
    if (item.path === book.nav && blocks.every(({ kind }) => kind === 'heading')) return
    this.label = navigation.labelsIn(item.path).get('') ?? this.label
    if (blocks.length === 0 && pictures > 0) yield this.place(item.path, null)
    for (const page of paginate(blocks, trailing)) {
      yield this.place(item.path, page)
    }
  }

  /** Gives the next page its number. A page without text is a picture. */
  private place(path: string, page: BookPage | null): ExtractedPage {
    const { pages } = this.parts.limits
    if (this.places.count++ >= pages) throw new FormatError('TOO_LARGE', `more than ${pages} pages`)
    for (const id of page?.ids ?? []) {
      const key = `${path}#${id}`
      if (!this.places.ids.has(key)) this.places.ids.set(key, this.places.count)
    }
    const content = page?.content ?? ''
    return { content, label: this.labelFor(page), picture: page === null, garbled: unreadableShare(content) }
  }

  /** The printed page that a page begins on; before the first one that is known, the first that begins on it. */
  private labelFor(page: BookPage | null): string | null {
    const [first = null] = page?.labels ?? []
    const label = page?.labelledFromStart === true ? first : (this.label ?? first)
    this.label = page?.labels.at(-1) ?? this.label
    return label
  }
}
