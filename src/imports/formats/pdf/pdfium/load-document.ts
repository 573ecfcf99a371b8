import type { Address, Handle, Pdfium } from './start-pdfium.ts'

/** A PDF that is open in PDFium, with a copy of the file in its memory. */
export interface LoadedDocument {
  document: Handle
  /** Closes the document and frees the copy. Close its pages first. */
  unload(): void
}

/** Opens a PDF, with a password if it needs one; null if PDFium cannot open it. */
export function loadDocument(
  { exports, memory }: Pdfium,
  bytes: Uint8Array,
  password: string | null,
): LoadedDocument | null {
  const addresses: Address[] = []
  const copy = (content: Uint8Array): Address => {
    const address = exports.malloc(content.length)
    if (address !== 0) memory().bytes.set(content, address)
    addresses.push(address)
    return address
  }
  const free = () => addresses.forEach((address) => exports.free(address))
  const file = copy(bytes)
  const secret = password === null || file === 0 ? 0 : copy(Buffer.from(`${password}\0`))
  const document = file === 0 ? 0 : exports.FPDF_LoadMemDocument64(file, bytes.length, secret)
  if (document === 0) {
    free()
    return null
  }
  return {
    document,
    unload() {
      exports.FPDF_CloseDocument(document)
      free()
    },
  }
}
