import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { TextItem } from 'pdfjs-dist/types/src/display/api.d.ts'
import { FormatError } from '../../format.ts'
import { withoutAttachmentEncryption } from './encrypted-attachments.ts'
import { boundDecompression, refusedStreams, decompressedBytes } from './bound-decompression.ts'
import { maxScanCharacters, StreamTooLarge } from '../page/pdf-file.ts'
import type { FontFace, PageAnnotation, OutlineNode, PageText, PdfFile, PdfMetadata } from '../page/pdf-file.ts'
import { parseFontFace } from '../characters/parse-font-face.ts'
import { readOutline } from './pdfjs-outline.ts'
import { createAnnotationReader } from './pdfjs-annotations.ts'
import type { AnnotationReader } from './pdfjs-annotations.ts'
import { imageArea } from './image-area.ts'
import { hideLargeMetadata } from './large-metadata.ts'
import { importPdfjs, type Pdfjs } from './import-pdfjs.ts'
import { defaultFace, readRuns } from '../characters/read-runs.ts'

/**
 * Limits on extracting the text of a page, in decompressed bytes and processor time. A page above a limit is a drawing
 * or hostile and is not read a second time, which could exhaust the memory.
 */
const heavyPageLimits = { bytes: 4 * 1024 * 1024, milliseconds: 400, millisecondsWithFewCharacters: 100 }
/**
 * The minimum share of characters in fonts with unknown names for which a page is read again to get the names. The
 * share rises after the first passes, and the number of passes is limited.
 */
const fontPassLimits = { early: 0.01, late: 0.2, earlyPasses: 12, passes: 150 }

/**
 * Opens a PDF with pdf.js, even if its attachments are encrypted. Throws `FormatError`: ENCRYPTED if it needs a
 * password and none is given, WRONG_PASSWORD if the password is wrong, BROKEN for an unreadable PDF.
 */
export async function openWithPdfjs(bytes: Uint8Array, password: string | null = null): Promise<PdfFile> {
  const pdfjs = await loadPdfjs()
  try {
    return await openDocument(pdfjs, bytes, password)
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    if (!isLocked) throw new FormatError('BROKEN', String(error), { cause: error })
    const readable = withoutAttachmentEncryption(bytes)
    if (readable !== null) return openDocument(pdfjs, readable, null).catch(toBroken)
    throw new FormatError(password === null ? 'ENCRYPTED' : 'WRONG_PASSWORD', 'the file is encrypted')
  }
}

function toBroken(error: unknown): never {
  throw new FormatError('BROKEN', String(error), { cause: error })
}

async function openDocument(pdfjs: Pdfjs, bytes: Uint8Array, password: string | null): Promise<PdfFile> {
  const root = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  const data = new Uint8Array(bytes) // a copy, because the engine transfers the buffer
  hideLargeMetadata(data)
  const task = pdfjs.getDocument({
    data,
    ...(password === null ? {} : { password }),
    cMapUrl: join(root, 'cmaps/'),
    standardFontDataUrl: join(root, 'standard_fonts/'),
    wasmUrl: join(root, 'wasm/'),
    disableFontFace: true,
    fontExtraProperties: true,
    useSystemFonts: false,
    enableXfa: false,
    maxImageSize: 0, // no image is ever decoded
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  })
  try {
    return new PdfjsFile(pdfjs, await task.promise)
  } catch (error) {
    await task.destroy()
    throw error
  }
}

let loaded: Promise<Pdfjs> | undefined

/** Loads pdf.js once per process. This takes 0.2 s, so a spare process does it in advance. */
export function loadPdfjs(): Promise<Pdfjs> {
  boundDecompression()
  return (loaded ??= importPdfjs())
}

class PdfjsFile implements PdfFile {
  readonly pageCount: number
  readonly #pdfjs: Pdfjs
  readonly #document: PDFDocumentProxy
  readonly #faces = new Map<string, FontFace>()
  readonly #annotations: AnnotationReader
  #fontPasses = 0

  constructor(pdfjs: Pdfjs, document: PDFDocumentProxy) {
    this.#pdfjs = pdfjs
    this.#document = document
    this.pageCount = document.numPages
    this.#annotations = createAnnotationReader(document)
  }

  async metadata(): Promise<PdfMetadata> {
    const { info, metadata } = await this.#document.getMetadata()
    const xmp = metadata ? Array.from<[string, string | string[]]>(metadata) : []
    return { info: new Map(Object.entries(info).filter(hasText)), xmp: new Map(xmp) }
  }

  async labels(): Promise<readonly string[] | null> {
    return this.#document.getPageLabels()
  }

  async outline(): Promise<OutlineNode[]> {
    return readOutline(this.#document)
  }

  async page(number: number): Promise<PageText> {
    const refused = refusedStreams()
    const page = await this.#document.getPage(number)
    try {
      const text = await this.#read(page)
      if (refusedStreams() > refused) throw new StreamTooLarge(`A stream of page ${number} is too large`)
      return text
    } finally {
      page.cleanup()
    }
  }

  async annotations(number: number): Promise<readonly PageAnnotation[]> {
    return this.#annotations(number, async () => {
      const page = await this.#document.getPage(number)
      return page.getViewport({ scale: 1 }).transform
    })
  }

  async close(): Promise<void> {
    await this.#document.loadingTask.destroy()
  }

  async #read(page: PDFPageProxy): Promise<PageText> {
    const started = { bytes: decompressedBytes(), milliseconds: cpuMilliseconds() }
    const content = await page.getTextContent({ disableNormalization: true }) // `cleanText` does it, after Arabic is reversed
    const milliseconds = cpuMilliseconds() - started.milliseconds
    const viewport = page.getViewport({ scale: 1 })
    const items = content.items.filter((item) => 'str' in item)
    const characters = countCharacters(items)
    const hasFew = characters < maxScanCharacters
    const isHeavy =
      decompressedBytes() - started.bytes > heavyPageLimits.bytes ||
      milliseconds > (hasFew ? heavyPageLimits.millisecondsWithFewCharacters : heavyPageLimits.milliseconds)
    const needsFontPass = this.#needsFontPass(items, characters)
    let picture = false
    if ((needsFontPass || hasFew) && !isHeavy) {
      const operators = await page.getOperatorList({ annotationMode: this.#pdfjs.AnnotationMode.DISABLE })
      picture = imageArea(operators, this.#pdfjs.OPS) * page.userUnit ** 2 > (viewport.width * viewport.height) / 2
      if (needsFontPass) this.#fontPasses += 1
    }
    const faces = new Map(this.#faces)
    for (const [name, { fontFamily, vertical }] of Object.entries(content.styles)) {
      if (faces.has(name)) continue
      const postScriptName = fontName(page, name)
      faces.set(name, { ...parseFontFace(postScriptName ?? '', fontFamily), vertical })
      if (postScriptName !== null) this.#faces.set(name, faces.get(name) ?? defaultFace)
    }
    const { width, height, transform } = viewport
    const annotations = await this.#annotations(page.pageNumber, async () => transform)
    return { width, height, ...readRuns(items, transform, faces), picture, annotations }
  }

  #needsFontPass(items: readonly TextItem[], characters: number): boolean {
    const unknownCharacters = countCharacters(items.filter(({ fontName: name }) => !this.#faces.has(name)))
    const { early, late, earlyPasses, passes } = fontPassLimits
    if (unknownCharacters === 0 || this.#fontPasses >= passes) return false
    return unknownCharacters >= characters * (this.#fontPasses < earlyPasses ? early : late)
  }
}

/**
 * The processor time of this process. In contrast to elapsed time, it does not make a page appear heavy when the
 * machine is busy.
 */
function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function countCharacters(items: readonly TextItem[]): number {
  return items.reduce((sum, item) => sum + item.str.length, 0)
}

/** The PostScript name of a loaded font; null if pdf.js has not sent it. */
function fontName(page: PDFPageProxy, id: string): string | null {
  if (!page.commonObjs.has(id)) return null
  const font: unknown = page.commonObjs.get(id)
  return typeof font === 'object' && font !== null && 'name' in font && typeof font.name === 'string' ? font.name : ''
}

function hasText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string' && entry[1].trim() !== ''
}
