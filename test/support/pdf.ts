import { deflateSync } from 'node:zlib'

/** A page of a test PDF. `content` is a content stream, whose font names are those in `fonts`. */
export interface TestPage {
  content: string
  width?: number
  height?: number
  rotate?: number
  /** Annotation dictionaries, for example `<< /Subtype /Link /Rect [0 0 9 9] … >>`. */
  annotations?: string[]
  /** Additional entries of the page. */
  entries?: string
}

export interface TestOutline {
  title: string
  /** The index of the page, from 0; null for an entry without a destination. */
  page: number | null
  /** The form of the destination. */
  by?: 'array' | 'name' | 'action'
  children?: TestOutline[]
}

export interface TestPdf {
  pages: TestPage[]
  outline?: TestOutline[]
  /** The value of /PageLabels, for example `<< /Nums [0 << /S /r >>] >>`. */
  labels?: string
  /** Entries of the information dictionary, for example `/Title (A)`. */
  info?: string
  /** Additional entries of the catalog. */
  catalog?: string
  /** The XMP packet. */
  xmp?: string
  /** Image objects, with their entries and data. Pages refer to them as /P0, /P1 …. */
  pictures?: { entries: string; data: Buffer }[]
  compress?: boolean
  /** Additional objects, with numbers that are not in use. */
  objects?: ReadonlyMap<number, string>
}

const fonts = {
  F1: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica',
  F2: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding',
  F3: '/Type /Font /Subtype /Type1 /BaseFont /Courier',
  // A font whose characters map to private-use code points, as in files without a usable Unicode map.
  F4: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 10 0 R',
}
type FontName = keyof typeof fonts

const privateUse = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /P def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <e020> endbfrange endcmap end end`

/** Fixed object numbers: 1 catalog, 2 page tree, 3 information, 4 outline root, 5 XMP, 6–9 fonts, 10 Unicode map, 11 image. */
const firstFree = 12

/** Writes a small PDF with a correct cross-reference table. */
export function writePdf(pdf: TestPdf): Uint8Array {
  const objects = new Map<number, string | Buffer>()
  const pageNumber = pageObjectNumber
  const kids = pdf.pages.map((_, index) => `${pageNumber(index)} 0 R`)
  let next = firstFree + pdf.pages.length * 2
  const names: string[] = []
  const outline = (entries: readonly TestOutline[], parent: number): { first: number; last: number } => {
    const numbers = entries.map(() => next++)
    for (const [index, { title, page, by = 'array', children = [] }] of entries.entries()) {
      const objectNumber = numbers[index] ?? 0
      const target = page === null ? '' : `[${pageNumber(page)} 0 R /Fit]`
      if (by === 'name' && target) names.push(`(n${objectNumber}) ${target}`)
      const dest = {
        array: `/Dest ${target}`,
        name: `/Dest (n${objectNumber})`,
        action: `/A << /S /GoTo /D ${target} >>`,
      }[by]
      const childRange = children.length > 0 ? outline(children, objectNumber) : null
      const links = [
        index > 0 ? `/Prev ${numbers[index - 1]} 0 R` : '',
        index + 1 < numbers.length ? `/Next ${numbers[index + 1]} 0 R` : '',
        childRange ? `/First ${childRange.first} 0 R /Last ${childRange.last} 0 R /Count ${children.length}` : '',
      ]
      objects.set(
        objectNumber,
        `<< /Title (${title}) /Parent ${parent} 0 R ${target ? dest : ''} ${links.join(' ')} >>`,
      )
    }
    return { first: numbers[0] ?? 0, last: numbers.at(-1) ?? 0 }
  }
  const root = pdf.outline ? outline(pdf.outline, 4) : null
  objects.set(4, root ? `<< /Type /Outlines /First ${root.first} 0 R /Last ${root.last} 0 R >>` : 'null')
  const catalog = [
    '/Type /Catalog /Pages 2 0 R',
    root ? '/Outlines 4 0 R' : '',
    pdf.labels ? `/PageLabels ${pdf.labels}` : '',
    names.length > 0 ? `/Names << /Dests << /Names [${names.join(' ')}] >> >>` : '',
    pdf.xmp ? '/Metadata 5 0 R' : '',
    pdf.catalog ?? '',
  ]
  objects.set(1, `<< ${catalog.join(' ')} >>`)
  objects.set(2, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] >>`)
  objects.set(3, `<< ${pdf.info ?? ''} >>`)
  objects.set(5, stream('/Type /Metadata /Subtype /XML', Buffer.from(pdf.xmp ?? '')))
  for (const [index, font] of Object.values(fonts).entries()) objects.set(6 + index, `<< ${font} >>`)
  objects.set(10, stream('', Buffer.from(privateUse)))
  const image = '/Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceGray /BitsPerComponent 8'
  objects.set(11, stream(image, Buffer.alloc(16)))
  const pictures = (pdf.pictures ?? []).map(({ entries, data }, index) => {
    objects.set(next, stream(`/Type /XObject /Subtype /Image ${entries}`, data))
    return `/P${index} ${next++} 0 R`
  })
  for (const [index, page] of pdf.pages.entries()) {
    const data = Buffer.from(page.content, 'latin1')
    const packed = pdf.compress ? deflateSync(data) : data
    objects.set(pageNumber(index), pageObject(page, pageNumber(index) + 1, pictures))
    objects.set(pageNumber(index) + 1, stream(pdf.compress ? '/Filter /FlateDecode' : '', packed))
  }
  for (const [number, object] of pdf.objects ?? []) objects.set(number, object)
  return assemblePdf(objects)
}

/** The number of the object of a page, by its index from 0. */
export function pageObjectNumber(index: number): number {
  return firstFree + index * 2
}

function pageObject(
  { width = 612, height = 792, rotate = 0, annotations = [], entries = '' }: TestPage,
  content: number,
  pictures: readonly string[],
): string {
  const list = Object.keys(fonts).map((name, index) => `/${name} ${6 + index} 0 R`)
  const resources = `/Resources << /Font << ${list.join(' ')} >> /XObject << /Im 11 0 R ${pictures.join(' ')} >> >>`
  const box = `/MediaBox [0 0 ${width} ${height}] /Rotate ${rotate}`
  return `<< /Type /Page /Parent 2 0 R ${box} ${resources} /Annots [${annotations.join(' ')}] /Contents ${content} 0 R ${entries} >>`
}

function stream(entries: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}

/** Assembles objects to a PDF file. Object 1 is the catalog and object 3 the information dictionary. */
export function assemblePdf(objects: ReadonlyMap<number, string | Buffer>): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets = new Map<number, number>()
  let length = parts[0]?.length ?? 0
  const push = (part: Buffer): void => {
    parts.push(part)
    length += part.length
  }
  for (const [number, body] of objects) {
    offsets.set(number, length)
    push(Buffer.from(`${number} 0 obj\n`))
    push(typeof body === 'string' ? Buffer.from(body, 'latin1') : body)
    push(Buffer.from('\nendobj\n'))
  }
  const start = length
  const size = Math.max(0, ...objects.keys()) + 1
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number)
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  push(Buffer.from(`xref\n0 ${size}\n${rows.join('')}`))
  push(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${start}\n%%EOF\n`))
  return new Uint8Array(Buffer.concat(parts))
}

/** The operators that draw one line of text. Its baseline starts at x, y, in points from the lower left corner. */
export function showText(text: string, at: { x: number; y: number; size?: number; font?: FontName }): string {
  const escaped = text.replace(/[\\()]/g, '\\$&')
  return `BT /${at.font ?? 'F1'} ${at.size ?? 10} Tf 1 0 0 1 ${at.x} ${at.y} Tm (${escaped}) Tj ET\n`
}

/** The operators that draw lines of text, 12 points apart. The baseline of the first is at y. */
export function showLines(
  lines: readonly string[],
  at: { x: number; y: number; size?: number; font?: FontName },
): string {
  return lines.map((line, index) => (line === '' ? '' : showText(line, { ...at, y: at.y - index * 12 }))).join('')
}

/** The lines of a paragraph, for `showLines`. */
export const paragraph: readonly string[] = [
  'A paragraph of several lines is joined into one again, as they',
  'were broken for the page only and say nothing about the text of',
  'the author, who wrote it in one go.',
]
