import JSZip from 'jszip'

/** Creates a zip archive of these files. */
export async function zipOf(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const zip = new JSZip()
  for (const [path, content] of Object.entries(files)) zip.file(path, content)
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}

export const wordNames =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'

/** The parts of a Word document that tests vary. */
export interface DocxParts {
  body: string
  styles?: string
  numbering?: string
  footnotes?: string
  links?: string
  core?: string
  files?: Record<string, string | Uint8Array>
}

/** Creates a Word document like Word, with the styles Heading 1 to 3, Title, Quote and Source Code. */
export function docxOf({
  body,
  styles = '',
  numbering = '',
  footnotes,
  links = '',
  core = '',
  files = {},
}: DocxParts): Promise<Buffer> {
  const headings = [1, 2, 3].map(
    (level) =>
      `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/><w:pPr><w:outlineLvl w:val="${level - 1}"/></w:pPr></w:style>`,
  )
  const named = (id: string, name: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`
  return zipOf({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8"?><w:document ${wordNames}><w:body>${body}<w:sectPr/></w:body></w:document>`,
    'word/styles.xml': `<w:styles ${wordNames}>${headings.join('')}${named('Title', 'Title')}${named('Quote', 'Quote')}${named('SourceCode', 'Source Code')}${named('TOC1', 'toc 1')}${styles}</w:styles>`,
    'word/numbering.xml': `<w:numbering ${wordNames}>${numbering}</w:numbering>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links}</Relationships>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">${core}</cp:coreProperties>`,
    ...(footnotes === undefined
      ? {}
      : { 'word/footnotes.xml': `<w:footnotes ${wordNames}>${footnotes}</w:footnotes>` }),
    ...files,
  })
}

/** A paragraph of a Word document. */
export function docxParagraph(text: string, style = ''): string {
  const properties = style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

const odtNames =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'

/** An OpenDocument text. */
export function odtOf({
  body,
  automatic = '',
  styles = '',
  meta = '',
  files = {},
}: {
  body: string
  automatic?: string
  styles?: string
  meta?: string
  files?: Record<string, string | Uint8Array>
}): Promise<Buffer> {
  return zipOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${odtNames}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    'styles.xml': `<office:document-styles ${odtNames}><office:styles>${styles}</office:styles></office:document-styles>`,
    'meta.xml': `<office:document-meta ${odtNames}><office:meta>${meta}</office:meta></office:document-meta>`,
    'META-INF/manifest.xml': '<manifest/>',
    ...files,
  })
}

/** A FictionBook. */
export function fb2Of({
  title = '<book-title>A book</book-title>',
  body,
  others = '',
}: {
  title?: string
  body: string
  others?: string
}): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info>${title}</title-info></description><body>${body}</body>${others}</FictionBook>`,
  )
}

/** Creates an RTF file with the styles heading 1 and 2, a bulleted list 1, a numbered list 2, and a Russian font 1. */
export function rtfOf({ body, info = '' }: { body: string; info?: string }): Buffer {
  const styles = '{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}{\\s2 heading 2;}}'
  const list = (id: number, format: number) =>
    `{\\list{\\listlevel\\levelnfc${format}{\\leveltext\\'01;}}{\\listlevel\\levelnfc23{\\leveltext\\'01;}}{\\listname ;}\\listid${id}}`
  const overrides = [1, 2].map((id) => `{\\listoverride\\listid${id}\\listoverridecount0\\ls${id}}`)
  return Buffer.from(
    `{\\rtf1\\ansi\\ansicpg1252\\deff0\n{\\fonttbl{\\f0\\froman\\fcharset0 Times New Roman;}{\\f1\\fcharset204 Times;}{\\f2\\fcharset128 Mincho;}}${styles}{\\*\\listtable${list(1, 23)}${list(2, 0)}}{\\*\\listoverridetable${overrides.join('')}}{\\*\\generator Test 1;}{\\info${info}}\\pard ${body}}`,
    'latin1',
  )
}
