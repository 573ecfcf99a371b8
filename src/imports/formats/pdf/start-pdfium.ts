import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** A number that stands for an object of the engine; 0 for none. */
export type Handle = number
/** The address of memory of the engine. */
export type Address = number

/** The functions of PDFium's C interface that are used, as the WebAssembly module exports them. */
export interface PdfiumExports {
  malloc(bytes: number): Address
  free(address: Address): void
  FPDF_InitLibrary(): void
  FPDF_LoadMemDocument64(bytes: Address, length: number, password: Address): Handle
  FPDF_CloseDocument(document: Handle): void
  FPDF_GetPageCount(document: Handle): number
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
  FPDFText_LoadPage(page: Handle): Handle
  FPDFText_ClosePage(text: Handle): void
  FPDFText_CountChars(text: Handle): number
  FPDFText_GetUnicode(text: Handle, index: number): number
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

/** An engine with a memory of its own. */
export interface Pdfium {
  exports: PdfiumExports
  /** Memory of `scratchBytes` for what one call gives. */
  scratch: Address
  /** Its memory now. The views are void after the next call that allocates. */
  memory(): { bytes: Uint8Array; floats: Float32Array; doubles: Float64Array }
  /** How large its memory may become. */
  memoryLimit: { bytes: number }
}

/** The part of the WebAssembly interface that is used; the compiler's library knows it in browsers only. */
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
 * How far the memory of an engine may grow beside the file itself. The largest real book seen takes 40 MB; a hostile one that
 * needs more ends the engine, not the process.
 */
const maxExtraBytes = 128 * 1024 * 1024
/** An engine with more memory than this is not used again: WebAssembly's memory never shrinks. */
const maxSpareBytes = 64 * 1024 * 1024

/** Room for the name of a font. */
export const scratchBytes = 256

interface Compiled {
  start: StartModule
  code: Code
}

let compiled: Promise<Compiled> | undefined

/** Compiles PDFium, once per process. */
export async function loadPdfium(): Promise<Compiled> {
  compiled ??= compile()
  return compiled
}

let spare: Pdfium | null = null

/**
 * An engine for a file of `fileBytes`, the spare one if there is one. A call that needs more memory than is allowed ends the
 * engine with a `RuntimeError`; then it must not be used again.
 */
export async function takePdfium(fileBytes: number): Promise<Pdfium> {
  const taken = spare ?? (await startPdfium())
  spare = null
  taken.memoryLimit.bytes = fileBytes + maxExtraBytes
  return taken
}

/** Keeps an engine, in which nothing is open, for the next file. What is not given back is garbage, with its memory. */
export function giveBackPdfium(pdfium: Pdfium): void {
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
    if (views.bytes.buffer !== module.HEAPU8.buffer) views = viewsOf(module.HEAPU8)
    return views
  }
}

function viewsOf(bytes: Uint8Array): ReturnType<Pdfium['memory']> {
  return { bytes, floats: new Float32Array(bytes.buffer), doubles: new Float64Array(bytes.buffer) }
}
