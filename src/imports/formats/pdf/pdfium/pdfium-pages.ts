import { maxScanCharacters, type PageText } from '../page/pdf-file.ts'
import { loadDocument, type LoadedDocument } from './load-document.ts'
import { readRuns } from '../characters/read-runs.ts'
import { uprightHeads } from './rotated-heads.ts'
import { collectItems, withVerticalFaces } from './pdfium-items.ts'
import { addCellLines } from './cell-lines.ts'
import { addDrawnBullets } from './drawn-bullets.ts'
import { readLinks } from './pdfium-links.ts'
import { readStructure } from './pdfium-structure.ts'
import { joinVerticalText } from './vertical-text.ts'
import { readShapes } from './pdfium-shapes.ts'
import { pictureArea } from './pdfium-picture-area.ts'
import { joinCircledLetters } from '../characters/circled-letters.ts'
import { dropGroupGlyphs } from '../characters/glyph-groups.ts'
import { alignListings } from '../characters/listing-columns.ts'
import { readMathSymbols } from '../characters/math-symbols.ts'
import { uprightMirroredGlyphs } from '../characters/mirrored-glyphs.ts'
import { freeMarks, joinOverlaidAccents } from '../characters/overlaid-accents.ts'
import { CharacterReader } from './pdfium-characters.ts'

import type { Character } from '../characters/character.ts'
import { replaceFalseLetters } from '../characters/false-letters.ts'
import { dropLineCodes, GlyphNumbers, replaceGlyphs } from '../characters/glyph-numbers.ts'
import { TexCodes } from '../characters/tex-codes.ts'
import { acquirePdfium, releasePdfium } from './start-pdfium.ts'
import { measureFaces } from '../characters/unnamed-faces.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'
import { readFont, type FileFont } from './pdfium-face.ts'
import { readView, type PageView } from './pdfium-view.ts'

/**
 * The number of pages that stay open after reading. The engine discards a font when the last page that uses it is
 * closed.
 */
const pagesKept = 4

interface OpenPage {
  page: Handle
  /** Its fonts that were read. The handles are valid while the page is open. */
  fonts: Map<Handle, FileFont>
}

/** Opens a PDF with PDFium, which only extracts the text of pages; null if PDFium cannot open the file. */
export async function openWithPdfium(bytes: Uint8Array, password: string | null = null): Promise<PdfiumPages | null> {
  const pdfium = await acquirePdfium(bytes.length)
  const loaded = loadDocument(pdfium, bytes, password)
  if (loaded) return new PdfiumPages(pdfium, loaded)
  releasePdfium(pdfium)
  return null
}

/** The text of the pages of a PDF. */
export class PdfiumPages {
  readonly pageCount: number
  readonly #pdfium: Pdfium
  readonly #loaded: LoadedDocument
  readonly #open: OpenPage[] = []
  readonly #pageIndexes = new Map<Handle, number>()
  /** Whether the file has a logical structure. */
  #isTagged: boolean
  readonly #glyphNumbers = new GlyphNumbers()
  readonly #texCodes = new TexCodes()
  #isUsable = true

  constructor(pdfium: Pdfium, loaded: LoadedDocument) {
    this.#pdfium = pdfium
    this.#loaded = loaded
    this.#isTagged = pdfium.exports.FPDFCatalog_IsTagged(loaded.document) !== 0
    this.pageCount = pdfium.exports.FPDF_GetPageCount(loaded.document)
  }

  /** Reads a page (from 1); null if the engine cannot. After a failure of the engine, all pages are null. */
  page(number: number): PageText | null {
    if (!this.#isUsable) return null
    try {
      return this.#load(number)
    } catch {
      this.#isUsable = false // a WebAssembly trap leaves the memory in an unknown state
      return null
    }
  }

  close(): void {
    if (!this.#isUsable) return
    this.#isUsable = false
    for (const { page } of this.#open) this.#pdfium.exports.FPDF_ClosePage(page)
    this.#loaded.unload()
    releasePdfium(this.#pdfium)
  }

  #load(number: number): PageText | null {
    const { exports } = this.#pdfium
    const page = exports.FPDF_LoadPage(this.#loaded.document, number - 1)
    if (page === 0) return null
    this.#keepOpen(page)
    const text = exports.FPDFText_LoadPage(page)
    if (text === 0) return null
    const content = this.#read(number, page, text)
    exports.FPDFText_ClosePage(text)
    return content
  }

  #read(number: number, page: Handle, text: Handle): PageText {
    const view = readView(this.#pdfium, page)
    const readFontOnce = (font: Handle) => this.#readFont(font)
    const reader = new CharacterReader(this.#pdfium, { page, text, isTagged: this.#isTagged, readFont: readFontOnce })
    const { add, end } = collectItems()
    const shown = readShown(reader, view, this.#glyphNumbers)
    const characters = this.#texCodes.read(shown.characters, reader.unnamedFonts)
    measureFaces(reader.faces, reader.unnamedFonts, characters)
    const symbols = readMathSymbols(characters, reader.symbolFonts)
    const signs = uprightMirroredGlyphs(reader.symbolFonts.size === 0 ? symbols : joinCircledLetters(symbols))
    for (const character of alignListings(joinOverlaidAccents(freeMarks(signs)), reader.faces)) add(character)
    const items = end()
    const length = items.reduce((sum, item) => sum + item.str.length, 0)
    const picture = length < maxScanCharacters && pictureArea(this.#pdfium, page) > (view.width * view.height) / 2
    const { runs, garbled } = readRuns(items, view.matrix, withVerticalFaces(reader.faces))
    const { rules, dots, cellLines } = readShapes(this.#pdfium, page, view)
    const usesMath = reader.faces.values().some(({ math }) => math !== undefined)
    const { width, height } = view
    const inCells = addCellLines(addDrawnBullets(uprightHeads(joinVerticalText(runs)), dots), { cellLines, rules })
    const links = readLinks(this.#pdfium, {
      document: this.#loaded.document,
      page,
      number,
      pageCount: this.pageCount,
      matrix: view.matrix,
      pageIndexes: this.#pageIndexes,
    })
    return {
      width,
      height,
      runs: inCells,
      garbled,
      ...(shown.falseLetters !== undefined && { falseLetters: shown.falseLetters }),
      picture,
      rules,
      usesMath,
      ...(links !== null && { annotations: links }),
      ...this.#structureOf(page),
    }
  }

  /** The logical structure of a page. A file whose structure is too large to read counts as one without. */
  #structureOf(page: Handle): Pick<PageText, 'structure'> {
    if (!this.#isTagged) return {}
    const structure = readStructure(this.#pdfium, page)
    this.#isTagged = structure !== 'too-large'
    return structure === null || structure === 'too-large' ? {} : { structure }
  }

  #keepOpen(page: Handle): void {
    this.#open.push({ page, fonts: new Map() })
    const oldest = this.#open.length > pagesKept ? this.#open.shift() : undefined
    if (oldest !== undefined) this.#pdfium.exports.FPDF_ClosePage(oldest.page)
  }

  /** Reads a font of the page that was opened last, unless another open page has the same font. */
  #readFont(font: Handle): FileFont {
    const known = this.#open.findLast(({ fonts }) => fonts.has(font))?.fonts.get(font)
    const read = known ?? readFont(this.#pdfium, font)
    this.#open.at(-1)?.fonts.set(font, read)
    return read
  }
}

interface ShownText {
  characters: readonly Character[]
  /** See `PageText`. */
  falseLetters?: ReadonlySet<string>
}

/**
 * The characters of the text objects that are on the page at least in part, so that a word that runs over its edge stays
 * whole.
 */
function readShown(reader: CharacterReader, view: PageView, numbers: GlyphNumbers): ShownText {
  const characters: Character[] = []
  const indices: number[] = []
  let start = 0
  let isShown = false
  const endObject = (): void => {
    if (!isShown) characters.length = start
    start = characters.length
    isShown = false
  }
  reader.read((character, index) => {
    if (!character.sameObject) endObject()
    indices[characters.length] = index
    characters.push(character)
    isShown ||= view.shows(character)
  })
  endObject()
  const isUnmapped = (at: number): boolean => reader.isUnmapped(indices[at] ?? 0)
  if (!reader.hasGlyphNumbers && !reader.hasUnmapped) return { characters: dropGroupGlyphs(characters, isUnmapped) }
  const others = new Set([...reader.unnamedFonts, ...reader.symbolFonts.keys()])
  const fonts = { isUnmapped, others, calibri: reader.calibriFonts }
  const texts = numbers.textsOf(characters, fonts)
  const read = replaceFalseLetters(characters, fonts, texts)
  if (texts.size > 0) return { ...read, characters: replaceGlyphs(read.characters, texts, others) }
  const shown = dropGroupGlyphs(read.characters, isUnmapped)
  return { ...read, characters: reader.hasGlyphNumbers ? dropLineCodes(shown, others) : shown }
}
