/** The labels of footnotes: a reference and its note, wherever they stand in the book, get the same one. */
export class NoteLabels {
  private readonly labels = new Map<string, string>()
  /** How often each label was wanted in a file. */
  private readonly labelCounts = new Map<string, number>()

  /** The label for a reference to the element `id` of the file `path` that shows `text`. */
  labelForReference(path: string, id: string, text: string): string {
    const visibleText = text.replace(/<[^<>]*>/g, '').replace(/[^\p{L}\p{N}]/gu, '')
    return this.assignLabel(path, id, visibleText === '' || visibleText.length > 20 ? id : visibleText)
  }

  /** The label for the note with that id. */
  labelForNote(path: string, id: string): string {
    return this.assignLabel(path, id, id)
  }

  private assignLabel(path: string, id: string, preferred: string): string {
    const key = `${path}#${id}`
    const known = this.labels.get(key)
    if (known !== undefined) return known
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

/** True for a link that stands for a note. */
export function isNoteReference(attributes: Attributes): boolean {
  return hasType(attributes, ['noteref', 'doc-noteref']) || referenceClass.test(attributes['class'] ?? '')
}

/** True for the element that holds one note. */
export function isNote(attributes: Attributes): boolean {
  if (hasType(attributes, ['footnote', 'endnote', 'rearnote', 'note', 'doc-footnote', 'doc-endnote'])) return true
  return noteClass.test(attributes['class'] ?? '')
}

/** True for the link of a note back to its reference. */
export function isBackLink(attributes: Attributes): boolean {
  return (
    hasType(attributes, ['backlink', 'doc-backlink']) || /(?:^|\s)footnote-back(?:\s|$)/.test(attributes['class'] ?? '')
  )
}

/** True when `epub:type` or `role` names one of the types. */
export function hasType(attributes: Attributes, types: readonly string[]): boolean {
  const named = `${attributes['epub:type'] ?? ''} ${attributes['role'] ?? ''}`
  return named !== ' ' && named.split(/\s+/).some((type) => types.includes(type))
}
