import { withoutPlaces } from './picture-elements.ts'

/** The labels of notes: a reference and its note get the same label, wherever they are in the book. */
export class NoteLabels {
  private readonly labels = new Map<string, string>()
  /** How many labels of a file have the same base. */
  private readonly labelCounts = new Map<string, number>()

  /** The label of a reference that shows `text` and refers to the element `id` of the file `path`. */
  labelForReference(path: string, id: string, text: string): string {
    const visibleText = withoutPlaces(text)
      .replace(/<[^<>]*>/g, '')
      .replace(/[^\p{L}\p{N}]/gu, '')
    return this.assignLabel(path, id, visibleText === '' || visibleText.length > 20 ? id : visibleText)
  }

  /** The label of the note with this id. */
  labelForNote(path: string, id: string): string {
    return this.assignLabel(path, id, id)
  }

  private assignLabel(path: string, id: string, preferred: string): string {
    const key = `${path}#${id}`
    const existing = this.labels.get(key)
    if (existing !== undefined) return existing
    const base = preferred.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 40) || 'note'
    const count = (this.labelCounts.get(`${path} ${base}`) ?? 0) + 1
    this.labelCounts.set(`${path} ${base}`, count)
    const label = count === 1 ? base : `${base}-${count}`
    this.labels.set(key, label)
    return label
  }
}

type Attributes = Readonly<Record<string, string>>

const referenceClass = /(?:^|\s)(?:noteref|footnote(?:-?ref(?:erence)?)?|fnref)(?:\s|$)/i
const noteClass = /(?:^|\s)(?:footnote|endnote|rearnote)(?:\s|$)/i

/** Returns true for a link that refers to a note. */
export function isNoteReference(attributes: Attributes): boolean {
  return hasType(attributes, ['noteref', 'doc-noteref']) || referenceClass.test(attributes['class'] ?? '')
}

/** Returns true for an element that contains one note. */
export function isNote(attributes: Attributes): boolean {
  if (hasType(attributes, ['footnote', 'endnote', 'rearnote', 'note', 'doc-footnote', 'doc-endnote'])) return true
  return noteClass.test(attributes['class'] ?? '')
}

/** Returns true for the link of a note back to its reference. */
export function isBackLink(attributes: Attributes): boolean {
  return (
    hasType(attributes, ['backlink', 'doc-backlink']) || /(?:^|\s)footnote-back(?:\s|$)/.test(attributes['class'] ?? '')
  )
}

/** Returns true if `epub:type` or `role` contains one of the types. */
export function hasType(attributes: Attributes, types: readonly string[]): boolean {
  const named = `${attributes['epub:type'] ?? ''} ${attributes['role'] ?? ''}`
  return named !== ' ' && named.split(/\s+/).some((type) => types.includes(type))
}
