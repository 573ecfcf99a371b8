import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** A handle of an object in the engine; 0 for none. */
export type Handle = number
/** An address in the memory of the engine. */
export type Address = number

/** The functions of PDFium's C interface that are used, as exported by its WebAssembly module. */
export interface PdfiumExports {
  malloc(bytes: number): Address
  free(address: Address): void
  FPDF_InitLibrary(): void
  FPDF_LoadMemDocument64(bytes: Address, length: number, password: Address): Handle
  FPDF_CloseDocument(document: Handle): void
  FPDF_GetPageCount(document: Handle): number
  FPDFCatalog_IsTagged(document: Handle): number
  FPDF_LoadPage(document: Handle, index: number): Handle
  FPDF_ClosePage(page: Handle): void
  FPDF_GetPageBoundingBox(page: Handle, rectangle: Address): number
  FPDFPage_GetRotation(page: Handle): number
  FPDFPage_CountObjects(page: Handle): number
  FPDFPage_GetObject(page: Handle, index: number): Handle
  FPDFFormObj_CountObjects(form: Handle): number
  FPDFFormObj_GetObject(form: Handle, index: number): Handle
  FPDFPageObj_GetType(object: Handle): number
  FPDFPageObj_GetBounds(object: Handle, left: Address, bottom: Address, right: Address, top: Address): number
  FPDFPageObj_GetMatrix(object: Handle, matrix: Address): number
  FPDFPageObj_GetMarkedContentID(object: Handle): number
  FPDFPageObj_CountMarks(object: Handle): number
  FPDFPageObj_GetMark(object: Handle, index: number): Handle
  FPDFPageObjMark_GetName(mark: Handle, buffer: Address, length: number, needed: Address): number
  FPDFPageObjMark_GetParamValueType(mark: Handle, key: Address): number
  FPDF_StructTree_GetForPage(page: Handle): Handle
  FPDF_StructTree_Close(tree: Handle): void
  FPDF_StructTree_CountChildren(tree: Handle): number
  FPDF_StructTree_GetChildAtIndex(tree: Handle, index: number): Handle
  FPDF_StructElement_GetType(element: Handle, buffer: Address, length: number): number
  FPDF_StructElement_GetAltText(element: Handle, buffer: Address, length: number): number
  FPDF_StructElement_CountChildren(element: Handle): number
  FPDF_StructElement_GetChildAtIndex(element: Handle, index: number): Handle
  FPDF_StructElement_GetChildMarkedContentID(element: Handle, index: number): number
  FPDF_StructElement_GetAttributeCount(element: Handle): number
  FPDF_StructElement_GetAttributeAtIndex(element: Handle, index: number): Handle
  FPDF_StructElement_Attr_GetValue(attribute: Handle, name: Address): Handle
  FPDF_StructElement_Attr_GetNumberValue(value: Handle, number: Address): number
  FPDFPage_GetAnnotCount(page: Handle): number
  FPDFPage_GetAnnot(page: Handle, index: number): Handle
  FPDFPage_CloseAnnot(annotation: Handle): void
  FPDFAnnot_GetSubtype(annotation: Handle): number
  FPDFAnnot_GetFlags(annotation: Handle): number
  FPDFAnnot_GetRect(annotation: Handle, rectangle: Address): number
  FPDFAnnot_GetLink(annotation: Handle): Handle
  FPDFLink_GetAction(link: Handle): Handle
  FPDFLink_GetDest(document: Handle, link: Handle): Handle
  FPDFLink_CountQuadPoints(link: Handle): number
  FPDFLink_GetQuadPoints(link: Handle, index: number, points: Address): number
  FPDFAction_GetType(action: Handle): number
  FPDFAction_GetURIPath(document: Handle, action: Handle, buffer: Address, length: number): number
  FPDFDest_GetDestPageIndex(document: Handle, destination: Handle): number
  FPDFText_LoadPage(page: Handle): Handle
  FPDFText_ClosePage(text: Handle): void
  FPDFText_CountChars(text: Handle): number
  FPDFText_GetUnicode(text: Handle, index: number): number
  FPDFText_IsGenerated(text: Handle, index: number): number
  FPDFText_HasUnicodeMapError(text: Handle, index: number): number
  FPDFText_IsHyphen(text: Handle, index: number): number
  FPDFText_GetTextObject(text: Handle, index: number): Handle
  FPDFText_GetCharOrigin(text: Handle, index: number, x: Address, y: Address): number
  FPDFText_GetCharBox(text: Handle, index: number, left: Address, right: Address, bottom: Address, top: Address): number
  FPDFText_GetLooseCharBox(text: Handle, index: number, rectangle: Address): number
  FPDFText_GetMatrix(text: Handle, index: number, matrix: Address): number
  FPDFText_GetFontSize(text: Handle, index: number): number
  FPDFTextObj_GetFont(object: Handle): Handle
  FPDFFont_GetBaseFontName(font: Handle, buffer: Address, length: number): number
  FPDFFont_GetFlags(font: Handle): number
  FPDFFont_GetGlyphWidth(font: Handle, letter: number, size: number, width: Address): number
  FPDFFont_GetAscent(font: Handle, size: number, ascent: Address): number
  FPDFFont_GetDescent(font: Handle, size: number, descent: Address): number
}

/** An instance of PDFium with its own memory. */
export interface Pdfium {
  exports: PdfiumExports
  /** Memory of `scratchBytes` bytes for the results of one call. */
  scratch: Address
  /** Its current memory. The views become invalid after the next call that allocates memory. */
  memory(): { bytes: Uint8Array; floats: Float32Array; doubles: Float64Array }
  /** The maximum size of its memory. */
  memoryLimit: { bytes: number }
}

/** The part of the WebAssembly interface that is used. The compiler declares it only in its library for browsers. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<Code>
  instantiate(code: Code, imports: Imports): Promise<object>
}
type Imports = Record<string, Record<string, unknown>>
/** A compiled module. */
interface Code {
  readonly [Symbol.toStringTag]: string
}

interface RawModule {
  wasmExports: PdfiumExports
  HEAPU8: Uint8Array
}

type StartModule = (options: {
  instantiateWasm: (imports: Imports, done: (instance: object) => void) => object
  printErr: () => void
}) => Promise<RawModule>

/**
 * How much memory an engine may use in addition to the file, in bytes. The largest real book seen takes 40 MB. A
 * hostile book that needs more ends the engine and not the process.
 */
const maxExtraBytes = 128 * 1024 * 1024
/** Maximum memory of an engine that is used again, in bytes. WebAssembly memory never shrinks. */
const maxSpareBytes = 64 * 1024 * 1024

/** The size of the scratch memory, in bytes. The name of a font must fit into it. */
export const scratchBytes = 256

interface Compiled {
  start: StartModule
  code: Code
}

let compiled: Promise<Compiled> | undefined

/** Compiles PDFium once per process. */
export async function loadPdfium(): Promise<Compiled> {
  compiled ??= compile()
  return compiled
}

let spare: Pdfium | null = null

/**
 * Returns an engine for a file of `fileBytes` bytes: the spare one if there is one, otherwise a new one. A call that
 * exceeds the memory limit ends the engine with a `RuntimeError`. Do not use the engine after that.
 */
export async function acquirePdfium(fileBytes: number): Promise<Pdfium> {
  const taken = spare ?? (await startPdfium())
  spare = null
  taken.memoryLimit.bytes = fileBytes + maxExtraBytes
  return taken
}

/**
 * Keeps an engine without open documents for the next file. An engine that is not given back is garbage collected with
 * its memory.
 */
export function releasePdfium(pdfium: Pdfium): void {
  if (pdfium.memory().bytes.length <= maxSpareBytes) spare = pdfium
}

async function startPdfium(): Promise<Pdfium> {
  const { start, code } = await loadPdfium()
  const memoryLimit = { bytes: maxExtraBytes }
  const module = await start({ instantiateWasm: instantiate(code, memoryLimit), printErr: () => undefined })
  const exports = module.wasmExports
  exports.FPDF_InitLibrary()
  return { exports, scratch: exports.malloc(scratchBytes), memory: memoryOf(module), memoryLimit }
}

async function compile(): Promise<Compiled> {
  const [{ PDFiumModule }, bytes] = await Promise.all([
    import('@hyzyla/pdfium'),
    readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')),
  ])
  return { start: PDFiumModule as unknown as StartModule, code: await WebAssembly.compile(bytes) }
}

function instantiate(code: Code, limit: { bytes: number }) {
  return (imports: Imports, done: (instance: object) => void): object => {
    const environment = imports['env'] ?? {}
    const grow = environment['emscripten_resize_heap']
    environment['emscripten_resize_heap'] = (bytes: number) =>
      bytes >>> 0 <= limit.bytes && typeof grow === 'function' ? Number(Reflect.apply(grow, null, [bytes])) : 0
    const start = async (): Promise<void> => done(await WebAssembly.instantiate(code, imports))
    void start()
    return {}
  }
}

function memoryOf(module: RawModule): Pdfium['memory'] {
  let views = viewsOf(module.HEAPU8)
  return () => {
    // Memory that has grown leaves the old views empty. This is faster than comparing buffers, for each character.
    if (views.bytes.length === 0) views = viewsOf(module.HEAPU8)
    return views
  }
}

function viewsOf(bytes: Uint8Array): ReturnType<Pdfium['memory']> {
  return { bytes, floats: new Float32Array(bytes.buffer), doubles: new Float64Array(bytes.buffer) }
}
