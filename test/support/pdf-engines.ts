import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { OpenPdfFile } from '../../src/imports/formats/pdf/open-pdf-file.ts'
import { openPdfFile } from '../../src/imports/formats/pdf/open-pdf-file.ts'
import { openWithPdfium } from '../../src/imports/formats/pdf/pdfium/pdfium-pages.ts'
import { openWithPdfjs } from '../../src/imports/formats/pdf/pdfjs/pdfjs.ts'

/** Opens a PDF with PDFium alone. A page that PDFium cannot read is an error. */
const openWithPdfiumAlone: OpenPdfFile = async (bytes) => {
  const reference = await openWithPdfjs(bytes)
  const fast = await openWithPdfium(bytes)
  if (fast === null) throw new Error('PDFium cannot open the file')
  return {
    pageCount: fast.pageCount,
    metadata: () => reference.metadata(),
    labels: () => reference.labels(),
    outline: () => reference.outline(),
    async page(number) {
      const page = fast.page(number)
      if (page === null) throw new Error(`PDFium cannot read page ${number}`)
      return page
    },
    async close() {
      fast.close()
      await reference.close()
    },
  }
}

/** The two engines, each used alone. */
export const pdfEngines: [name: string, engine: OpenPdfFile][] = [
  ['pdf.js', openWithPdfjs],
  ['PDFium', openWithPdfiumAlone],
]

/** Reads with each engine separately; the results must be equal. */
export async function readWithEachEngine<T>(read: (open: OpenPdfFile) => Promise<T>): Promise<T> {
  return readAlike(read, [openWithPdfjs, openWithPdfiumAlone])
}

/** Reads as an import does, and with the reference engine alone. The outcomes must be equal, including refusals. */
export async function readAsImported<T>(read: (open: OpenPdfFile) => Promise<T>): Promise<T> {
  return readAlike(read, [openPdfFile, openWithPdfjs])
}

/** A difference counts only if it occurs this often, because pdf.js omits font names on a busy machine. */
const attempts = 3

async function readAlike<T>(
  read: (open: OpenPdfFile) => Promise<T>,
  [first, second]: [OpenPdfFile, OpenPdfFile],
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const one = await outcomeOf(read(first))
    const other = await outcomeOf(read(second))
    if (attempt < attempts && !isDeepStrictEqual(comparable(one), comparable(other))) continue
    expect(comparable(other)).toEqual(comparable(one))
    if ('error' in one) throw one.error
    return one.value
  }
}

type Outcome<T> = { value: T } | { error: unknown }

async function outcomeOf<T>(promise: Promise<T>): Promise<Outcome<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}

/** Keeps only the code of a refusal, because its message depends on the engine. */
function comparable(outcome: Outcome<unknown>): unknown {
  if ('value' in outcome) return outcome
  return { error: Object(outcome.error).code ?? String(outcome.error) }
}
