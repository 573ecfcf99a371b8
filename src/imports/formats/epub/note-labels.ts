import { withoutPlaces } from './picture-places.ts'

/** Assigns the labels of notes: a reference and its note get the same label, wherever they are in the book. */
export class NoteLabels {
  private readonly labels = new Map<string, string>()
  /** Number of labels of a file with the same base. */
  private readonly labelCounts = new Map<string, number>()

  /** The label of a reference that displays `text` and refers to the element `id` of the file `path`. */
  labelForReference(path: string, id: string, text: string): string {
    const visibleText = withoutPlaces(text)
      .replace(/<[^<>]*>/g, '')
      .replace(/[^\p{L}\p{N}]/gu, '')
    return this.assignLabel(path, id, visibleText === '' || visibleText.length > 20 ? id : visibleText)
  }

  /**
   * The label of a reference in the file `path` to the note `key` of another file: its displayed text, or a part of the
   * note's `id` if the text is a sign.
   */
  labelForMark(path: string, { key, id, shown }: { key: string; id: string; shown: string }): string {
    const visible = /[\p{L}\p{N}]/u.test(shown) ? shown : id.slice(0, 16)
    return this.assignLabel(path, key, visible)
  }

  /** The label of the note with this id. */
  labelForNote(path: string, id: string): string {
    return this.assignLabel(path, id, id)
  }

  /** True if a reference to the element, or the element itself as a note, has been read. */
  isKnown(path: string, id: string): boolean {
    return this.labels.size > 0 && this.labels.has(`${path}#${noteId(id)}`)
  }

  private assignLabel(path: string, id: string, preferred: string): string {
    const key = `${path}#${noteId(id)}`
    const existing = this.labels.get(key)
    if (existing !== undefined) return existing
    const base = /^\w{1,40}$/.test(preferred)
      ? preferred
      : preferred.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 40) || 'note'
    const count = (this.labelCounts.get(`${path} ${base}`) ?? 0) + 1
    this.labelCounts.set(`${path} ${base}`, count)
    const label = count === 1 ? base : `${base}-${count}`
    this.labels.set(key, label)
    return label
  }
}

type Attributes = Readonly<Record<string, string>>

const referenceClass = /(?:^|\s)(?:noteref|footnote(?:-?ref(?:erence)?)?|fnref|sd(?:foot|end)noteanc)(?:\s|$)/i
/**
 * Targets of note references by MediaWiki, GitHub, markdown-it, Texinfo, Word and LibreOffice, which mark them in no
 * other way.
 */
const noteTarget = /^(?:cite_note-|user-content-fn-|fn[:-]?\d|_?(?:ftn|edn)\d|sd(?:foot|end)note\d+sym$|FOOT\d+$)/
const noteClass = /(?:^|\s)(?:footnote|endnote|rearnote)(?:\s|$)/i
const noteListClass = /(?:^|\s)(?:footnotes|endnotes|footnote-list|footdef|references|reflist)(?:\s|$)/i
const backLinkClass = /(?:^|\s)(?:footnote-back(?:ref)?|data-footnote-backref|fn-backref|reversefootnote)(?:\s|$)/
const numberClass = /(?:^|\s)(?:label|fn-bracket|mw-cite-backlink|footnote-number)(?:\s|$)/

/**
 * The note's id in a reference. Word and LibreOffice refer to a position inside the note: `_ftn1` in `ftn1`,
 * `sdfootnote1sym` in `sdfootnote1`.
 */
function noteId(id: string): string {
  return id.replace(/^_(?=(?:ftn|edn)\d)/, '').replace(/^(sd(?:foot|end)note\d+)sym$/, '$1')
}

/** True for a link that refers to a note. */
export function isNoteReference(attributes: Attributes): boolean {
  const { href = '' } = attributes
  return isTypedReference(attributes) || noteTarget.test(href.slice(href.indexOf('#') + 1))
}

/** True for a link that is marked as a note reference by its type or class. */
export function isTypedReference(attributes: Attributes): boolean {
  if (hasType(attributes, ['noteref', 'doc-noteref'])) return true
  return attributes['data-footnote-ref'] !== undefined || referenceClass.test(attributes['class'] ?? '')
}

/** True for an element that contains the notes of a text. */
export function isNoteList(attributes: Attributes): boolean {
  if (hasType(attributes, ['footnotes', 'endnotes', 'rearnotes', 'doc-endnotes'])) return true
  return noteListClass.test(attributes['class'] ?? '')
}

/** True for an element that repeats the number of a note next to its text. */
export function isNoteNumber(attributes: Attributes): boolean {
  return numberClass.test(attributes['class'] ?? '')
}

/** True for an element that contains one note. */
export function isNote(attributes: Attributes): boolean {
  if (hasType(attributes, ['footnote', 'endnote', 'rearnote', 'note', 'doc-footnote', 'doc-endnote'])) return true
  return noteClass.test(attributes['class'] ?? '')
}

/** True for a link from a note back to its reference. */
export function isBackLink(attributes: Attributes): boolean {
  return (
    hasType(attributes, ['backlink', 'doc-backlink']) ||
    attributes['data-footnote-backref'] !== undefined ||
    backLinkClass.test(attributes['class'] ?? '')
  )
}

/** True if `epub:type` or `role` contains one of the types. */
export function hasType(attributes: Attributes, types: readonly string[]): boolean {
  const { 'epub:type': type, role } = attributes
  if (type === undefined && role === undefined) return false
  return `${type ?? ''} ${role ?? ''}`.split(/\s+/).some((name) => types.includes(name))
}
