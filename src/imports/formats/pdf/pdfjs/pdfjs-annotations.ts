import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { boxAround, hiddenFlags, maxAnnotations, maxBoxes, toAddress } from '../page/annotation-parts.ts'
import type { PageAnnotation } from '../page/pdf-file.ts'
import { resolvePage } from './pdfjs-outline.ts'
import { cleanText } from '../characters/text.ts'

/** An annotation as pdf.js returns it. Every field may be missing or have another type. */
type RawAnnotation = Readonly<Record<string, unknown>>

/**
 * The annotation types that are read, by their numbers in pdf.js: notes, links, free text, markup with a note, form
 * fields.
 */
const kinds: Readonly<Record<number, PageAnnotation['kind']>> = {
  1: 'note',
  2: 'link',
  3: 'text',
  4: 'note',
  5: 'note',
  6: 'note',
  7: 'note',
  8: 'note',
  9: 'note',
  10: 'note',
  11: 'note',
  12: 'note',
  13: 'note',
  14: 'note',
  15: 'note',
  20: 'field',
}
const types = new Set(Object.keys(kinds).map(Number))
/** The number of pages whose annotations are requested at once. */
const batchPages = 16
const maxCharacters = 20_000
/** The maximum number of options of a list box that are returned. Of more, only those that are selected. */
const maxOptions = 50

/** Reads the annotations of a page (from 1) without the text below them, which pdf.js would extract again. */
export type AnnotationReader = (page: number, getView: () => Promise<readonly number[]>) => Promise<PageAnnotation[]>

/** Creates a reader for a document. A broken annotation does not fail the page. */
export function createAnnotationReader(document: PDFDocumentProxy): AnnotationReader {
  const pageNumbers = new Map<string, Promise<number | null>>()
  let batch: { start: number; pages: Map<number, RawAnnotation[]> } | null = null
  let signatures: Promise<Signature[]> | undefined
  return async (page, getView) => {
    const start = Math.floor((page - 1) / batchPages) * batchPages
    if (batch?.start !== start) batch = { start, pages: await readBatch(document, start) }
    const list = batch.pages.get(page - 1)?.slice(0, maxAnnotations) ?? []
    if (list.length === 0) return []
    const view = await getView()
    const found: PageAnnotation[] = []
    for (const raw of list) {
      if (raw['fieldType'] === 'Sig') signatures ??= readSignatures(document)
      const signature = raw['fieldType'] === 'Sig' ? textOfSignature(raw, (await signatures) ?? []) : null
      const annotation = toAnnotation(raw, view)
      if (annotation === null) continue
      if (annotation.kind === 'link') {
        const target = linkUrl(raw) ?? (await linkPage(document, raw, pageNumbers))
        if (target !== null && target !== `page:${page}`) found.push({ ...annotation, target })
      } else if ((signature ?? annotation.text) !== '') {
        found.push({ ...annotation, text: signature ?? annotation.text })
      }
    }
    return found
  }
}

async function readBatch(document: PDFDocumentProxy, start: number): Promise<Map<number, RawAnnotation[]>> {
  const others = new Set<number>()
  for (let index = 0; index < document.numPages; index += 1) {
    if (index < start || index >= start + batchPages) others.add(index)
  }
  const pages = new Map<number, RawAnnotation[]>()
  const list = (await document.getAnnotationsByType(types, others).catch(() => null)) ?? []
  for (const raw of list as RawAnnotation[]) {
    const index = Number(raw['pageIndex'])
    const page = pages.get(index)
    if (page) page.push(raw)
    else pages.set(index, [raw])
  }
  return pages
}

interface Signature {
  /** The object of its field, as pdf.js names it, and the name of the field. */
  field: string
  name: string
  /** Its own description: who signed, why and where. */
  text: string
}

/** The signatures of a file. pdf.js returns the most recent one first. */
async function readSignatures(document: PDFDocumentProxy): Promise<Signature[]> {
  const list = ((await document.getSignatures().catch(() => null)) ?? []) as RawAnnotation[]
  return list.map((signature) => ({
    field: String(signature['id']).split(':')[0] ?? '',
    name: String(signature['fieldName']),
    text: [signature['signerName'], signature['reason'], signature['location']].map(clean).filter(Boolean).join(', '),
  }))
}

/** The text of the signature in a field; empty if the field is not signed. */
function textOfSignature(raw: RawAnnotation, signatures: readonly Signature[]): string {
  const fullName = String(raw['fieldName'])
  const own = signatures.find(({ field }) => field === raw['id'])
  // The signature may belong to a parent of the displayed field.
  const named = () => signatures.find(({ name }) => name !== '' && (fullName === name || fullName.endsWith(`.${name}`)))
  return (own ?? named())?.text ?? ''
}

function toAnnotation(raw: RawAnnotation, view: readonly number[]): PageAnnotation | null {
  const kind = kinds[Number(raw['annotationType'])]
  const boxes = boxesOf(raw, view)
  if (kind === undefined || boxes.length === 0 || (Number(raw['annotationFlags']) & hiddenFlags) !== 0) return null
  const text = kind === 'field' ? fieldText(raw) : kind === 'link' ? '' : contentsOf(raw)
  return { kind, boxes, text, author: clean(nested(raw['titleObj'])) || null, target: null }
}

/** The value of a form field as it is displayed; empty for passwords and buttons. */
function fieldText(raw: RawAnnotation): string {
  const { fieldType, fieldValue, password, checkBox, radioButton, exportValue, buttonValue, options } = raw
  if (fieldType === 'Btn') {
    if (checkBox !== true && radioButton !== true) return ''
    return fieldValue === (checkBox === true ? exportValue : buttonValue) ? '☒' : '☐'
  }
  if (password === true || (fieldType !== 'Tx' && fieldType !== 'Ch')) return ''
  const values = Array.isArray(fieldValue) ? fieldValue : [fieldValue]
  if (raw['combo'] === false && Array.isArray(options) && options.length <= maxOptions)
    return optionsText(options, values)
  const shown = values.map((value) => clean(Array.isArray(options) ? displayOf(options, value) : value))
  const text = shown.filter(Boolean).join(', ')
  // pdf.js reads values that are strings. A long value may be a stream, which the appearance shows.
  return text === '' && fieldType === 'Tx' ? appearanceOf(raw) : text
}

/** The options of a list box, which displays them, with marks like those of check boxes. */
function optionsText(options: readonly unknown[], values: readonly unknown[]): string {
  const lines = options.filter(isObject).map(({ displayValue, exportValue }) => {
    const text = typeof displayValue === 'string' ? displayValue.slice(0, maxCharacters / maxOptions) : ''
    return `${values.includes(exportValue) ? '☒' : '☐'} ${clean(text)}`
  })
  return lines.join(' ')
}

function displayOf(options: readonly unknown[], value: unknown): unknown {
  const option = options.find((entry): entry is RawAnnotation => isObject(entry) && entry['exportValue'] === value)
  return option?.['displayValue'] ?? value
}

function contentsOf(raw: RawAnnotation): string {
  const contents = clean(nested(raw['contentsObj']))
  return contents === '' ? appearanceOf(raw) : contents
}

/** The lines of text that an annotation displays. */
function appearanceOf({ textContent }: RawAnnotation): string {
  return Array.isArray(textContent) ? clean(textContent.join('\n')) : ''
}

function nested(value: unknown): unknown {
  return isObject(value) ? value['str'] : ''
}

function isObject(value: unknown): value is RawAnnotation {
  return typeof value === 'object' && value !== null
}

/** Cleans text and keeps its line breaks. The result has at most 20,000 characters. */
function clean(value: unknown): string {
  if (typeof value !== 'string') return ''
  const lines = value.slice(0, maxCharacters).split(/\r\n?|\n/)
  return lines
    .map((line) => cleanText(line).trim())
    .join('\n')
    .trim()
}

function linkUrl({ url }: RawAnnotation): string | null {
  return typeof url === 'string' ? toAddress(url) : null
}

/** The target of a link within the book, as `page:12`; null if there is none. */
async function linkPage(
  document: PDFDocumentProxy,
  { dest }: RawAnnotation,
  pageNumbers: Map<string, Promise<number | null>>,
): Promise<string | null> {
  if (typeof dest !== 'string' && !Array.isArray(dest)) return null
  const page = await resolvePage(document, dest, pageNumbers)
  return page === null ? null : `page:${page}`
}

/** The bounding boxes of an annotation on the page; several for a link over several lines. */
function boxesOf({ rect, quadPoints }: RawAnnotation, view: readonly number[]): PageAnnotation['boxes'] {
  const quads = numbers(quadPoints)
  const boxes: number[][] = []
  for (let at = 0; at + 8 <= quads.length; at += 8) boxes.push(quads.slice(at, at + 8))
  const [x0, y0, x1, y1] = numbers(rect)
  if (boxes.length === 0 && x0 !== undefined && y0 !== undefined && x1 !== undefined && y1 !== undefined) {
    boxes.push([x0, y0, x1, y1])
  }
  return boxes.slice(0, maxBoxes).map((points) => boxAround(points, view))
}

function numbers(value: unknown): number[] {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return []
  return Array.from<unknown, number>(value, Number).filter(Number.isFinite)
}
