import { letteredNumber, listTypeOf } from '../list-number.ts'
import type { Attributes, Conversion, Leave, ListState, NoteElement } from './conversion.ts'
import { isBackLink, isNote, isNoteList, isNoteReference } from './note-labels.ts'
import { resolveHref } from './resolve-path.ts'
import { listTypeByClass } from './style-sheets.ts'

const maxUrlLength = 2_000
const maxListNumber = 999_999_999
const backSigns = /^[\s\\^\u2190\u2191\u21A9\u21B5\u23CE\u2B06\u{1F519}]*$/u

export function enterList(converter: Conversion, attributes: Attributes, name: string): Leave {
  converter.writer.flush()
  const next = Number.parseInt(attributes['start'] ?? '1', 10)
  // Word processors and editors write an inner list after its item instead of in it.
  const outer = converter.lists.at(-1)
  const isBesideItem = outer !== undefined && !outer.hasOpenItem && outer.itemIndent !== ''
  if (isBesideItem) converter.writer.enter(outer.itemIndent, null, true)
  const nested = converter.lists.length > 0 && converter.writer.hasText
  const endNotes = enterNoteList(converter, attributes)
  const { type = '', style = '', 'data-pattern': pattern = '%.' } = attributes
  const ordered = name === 'ol'
  const byClass = ordered ? listTypeByClass(converter.options.styles, attributes['class'] ?? '') : null
  const shown = ordered ? (listTypeOf(style) ?? byClass ?? type) : ''
  const state = { ordered, type: shown, pattern: /^.{0,3}%.{0,3}$/.test(pattern) ? pattern : '%.' }
  converter.lists.push({ ...noList(), ...state, nextNumber: clampNumber(next), nested })
  return () => {
    converter.writer.flush()
    converter.lists.pop()
    endNotes?.()
    if (isBesideItem) converter.writer.leave()
  }
}

export function enterItem(converter: Conversion, attributes: Attributes): Leave {
  const list = converter.lists.at(-1) ?? noList()
  const isPart = converter.options.note !== undefined
  if ((isNote(attributes) && !isPart) || isReferencedNote(converter, attributes)) {
    list.nextNumber = clampNumber(list.nextNumber + 1)
    return enterNote(converter, attributes)
  }
  const value = Number.parseInt(attributes['value'] ?? '', 10)
  if (!Number.isNaN(value)) list.nextNumber = clampNumber(value)
  // Markdown has no lettered lists, so the letters become part of the items of a bulleted list.
  const letters = list.ordered ? letteredNumber(list.nextNumber, list.type, list.pattern) : null
  const marker = letters !== null ? `- ${letters} ` : list.ordered ? `${list.nextNumber}. ` : '- '
  const tight = list.itemCount > 0 || (list.nested && (!list.ordered || letters !== null || list.nextNumber === 1))
  list.itemCount++
  list.nextNumber = clampNumber(list.nextNumber + 1)
  list.itemIndent = ' '.repeat(letters === null ? marker.length : 2)
  list.hasOpenItem = true
  converter.writer.enter(list.itemIndent, marker, tight)
  return () => {
    list.hasOpenItem = false
    converter.writer.leave()
  }
}

function noList(): ListState {
  const state = { ordered: false, type: '', pattern: '%.', nextNumber: 1, itemCount: 0, nested: false }
  return { ...state, itemIndent: '', hasOpenItem: false }
}

/** Enters an element that contains notes; null for any other element. */
export function enterNoteList(converter: Conversion, attributes: Attributes): Leave {
  const isPlain = (attributes['class'] ?? attributes['role'] ?? attributes['epub:type']) === undefined
  if (isPlain) return null
  if (!isNoteList(attributes) && !(attributes['id'] === undefined && isNote(attributes))) return null
  converter.noteListDepth++
  return () => converter.noteListDepth--
}

/** True if an element outside lists and quotations is the target of an earlier reference. */
export function isReferencedNote({ options, writer, noteDepth }: Conversion, { id }: Attributes): boolean {
  return id !== undefined && noteDepth === 0 && writer.isAtTopLevel && options.notes.isKnown(options.path, id)
}

/** Enters a footnote or endnote, which becomes `[^label]: text` with the label of its references. */
export function enterNote(converter: Conversion, attributes: Attributes): Leave {
  if (attributes['id'] === undefined) {
    converter.writer.flush()
    return () => converter.writer.flush()
  }
  const label = converter.options.notes.labelForNote(converter.options.path, attributes['id'])
  converter.writer.enter('    ', `[^${label}]: `, false)
  converter.noteDepth++
  converter.noteLabel = label
  return () => {
    converter.writer.leave()
    converter.noteDepth--
  }
}

/**
 * Enters an element of a note that is only known by its reference: the first element starts the definition, others
 * continue it.
 */
export function enterOwnNote(converter: Conversion, { label, shown, isBack, isFirst }: OwnNote): Leave {
  const { writer } = converter
  const begins = isFirst || converter.emptyNote === label
  writer.enter('    ', begins ? `[^${label}]: ` : '    ', false)
  const list = converter.lists.at(-1)
  if (list && isFirst) list.nextNumber = clampNumber(list.nextNumber + 1)
  converter.noteDepth++
  converter.noteLabel = shown
  converter.isBack = isBack
  return () => {
    writer.flush()
    converter.emptyNote = begins && !writer.hasText ? label : null
    writer.leave()
    converter.noteDepth--
    converter.isBack = null
  }
}

type OwnNote = NoteElement & { isFirst: boolean }

/**
 * Writes a link to the web as it is, one within the book as a link to a page, and one to a note as a note reference. In
 * headings, links within the book are text, because they lead to the table of contents or to the heading itself.
 */
export function enterLink(converter: Conversion, attributes: Attributes): Leave {
  const { options, writer } = converter
  const { inline } = writer
  const href = (attributes['href'] ?? '').trim()
  if (converter.noteDepth > 0 && (isBackLink(attributes) || converter.isBack?.(href) === true)) {
    converter.leaveOut()
    return null
  }
  const mark = href === '' ? undefined : options.marks?.get(converter.position)
  if (mark !== undefined) {
    inline.open('', '', () => `[^${mark}]`)
    return () => inline.close()
  }
  const target = href === '' ? null : resolveHref(options.path, href)
  if (target !== null && target.fragment !== null && isNoteReference(attributes)) {
    const { path, fragment } = target
    inline.open('', '', (inner) => `[^${options.notes.labelForReference(path, fragment, inner)}]`)
  } else if (/^(?:https?:|mailto:|page:\d{1,6}$)/i.test(href) && href.length <= maxUrlLength) {
    const url = href
      .replace(/[\s()<>\\]/g, encodeURIComponent)
      .replaceAll('(', '%28')
      .replaceAll(')', '%29')
    inline.open('', '', (inner) => (inner === href ? `<${url}>` : `[${inner}](${url})`))
  } else if (converter.noteDepth > 0 && target !== null && target.fragment !== null) {
    // A link back to the reference, and the number of the note.
    const isFirst = !converter.writer.hasText && inline.length === 0
    const write = isFirst ? null : options.links.writerFor(options.path, target)
    inline.open('', '', (inner) =>
      isBackText(inner, isFirst ? converter.noteLabel : null) ? '' : (write?.(inner) ?? inner),
    )
  } else {
    const write = target === null || writer.headingLevel > 0 ? null : options.links.writerFor(options.path, target)
    if (write === null) return null
    inline.open('', '', write)
  }
  return () => inline.close()
}

function isBackText(text: string, label: string | null): boolean {
  return (
    backSigns.test(text.replace(/[\uFE0E\uFE0F]/g, '')) ||
    (label !== null && text.replace(/<[^<>]*>|[^\p{L}\p{N}]/gu, '') === label)
  )
}

function clampNumber(value: number): number {
  return Number.isNaN(value) ? 1 : Math.min(Math.max(value, 0), maxListNumber)
}
