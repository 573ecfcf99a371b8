import JSZip from 'jszip'

/** A small book for a test, with plain defaults for omitted fields. */
export interface EpubParts {
  /** Bodies of the XHTML files by name, in reading order; a complete document is used as it is. */
  chapters?: Record<string, string>
  /** Content of the `metadata` element. */
  metadata?: string
  /** Additional `item` elements, and `itemref` elements that replace those of the chapters. */
  manifest?: string
  spine?: string
  /** Body of `nav.xhtml`; content of the NCX. */
  nav?: string
  ncx?: string
  /** Files by path in the archive; they replace those of the builder, and null removes one. */
  files?: Record<string, string | Uint8Array | null>
}

const namespaces = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'

/** Builds an EPUB with the package document `OEBPS/book.opf`. */
export async function buildEpub(parts: EpubParts): Promise<Uint8Array> {
  const chapters = parts.chapters ?? { 'one.xhtml': '<p>Text.</p>' }
  const files: Record<string, string | Uint8Array | null> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': container('OEBPS/book.opf'),
    'OEBPS/book.opf': packageDocument(Object.keys(chapters), parts),
  }
  for (const [name, body] of Object.entries(chapters)) files[`OEBPS/${name}`] = document(body)
  if (parts.nav !== undefined) files['OEBPS/nav.xhtml'] = document(parts.nav)
  if (parts.ncx !== undefined) {
    files['OEBPS/toc.ncx'] = `<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/">${parts.ncx}</ncx>`
  }
  Object.assign(files, parts.files)
  const zip = new JSZip()
  for (const [path, content] of Object.entries(files)) if (content !== null) zip.file(path, content)
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}

/** The container file that names a package document. */
export function container(path: string): string {
  const rootfile = `<rootfile full-path="${path}" media-type="application/oebps-package+xml"/>`
  return `<?xml version="1.0"?><container version="1.0"><rootfiles>${rootfile}</rootfiles></container>`
}

function document(body: string): string {
  if (body.startsWith('<?xml') || body.startsWith('<html')) return body
  return `<?xml version="1.0" encoding="utf-8"?><html ${namespaces}><head><title>Not text</title></head><body>${body}</body></html>`
}

function packageDocument(names: readonly string[], parts: EpubParts): string {
  const items = names.map((name, index) => `<item id="c${index}" href="${name}" media-type="application/xhtml+xml"/>`)
  if (parts.nav !== undefined) {
    items.push('<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>')
  }
  if (parts.ncx !== undefined) items.push('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
  const spine = parts.spine ?? names.map((_, index) => `<itemref idref="c${index}"/>`).join('')
  const metadata = parts.metadata ?? '<dc:title>A book</dc:title>'
  return (
    '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">' +
    `<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">${metadata}</metadata>` +
    `<manifest>${items.join('')}${parts.manifest ?? ''}</manifest>` +
    `<spine${parts.ncx === undefined ? '' : ' toc="ncx"'}>${spine}</spine></package>`
  )
}
