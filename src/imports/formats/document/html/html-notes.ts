import { isNote, isNoteList } from '../../epub/note-labels.ts'
import { elementsOf, newElement, type MarkupElement } from './markup-tree.ts'

/**
 * Wraps the notes of Texinfo in elements: there, each note is a heading with its number, followed by its text up to the
 * next one.
 */
export function wrapTexinfoNotes(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    if (!element.children.some((child) => noteIdOf(child) !== null)) continue
    const children: MarkupElement['children'] = []
    let note: MarkupElement | null = null
    for (const child of element.children) {
      const id = noteIdOf(child)
      if (id !== null) children.push((note = newElement('aside', { id, role: 'doc-footnote' })))
      else (note ?? { children }).children.push(child)
    }
    element.children = children
  }
}

function noteIdOf(child: MarkupElement | string): string | null {
  if (typeof child === 'string' || !/^h[3-6]$/.test(child.name)) return null
  const link = child.children.find((inner) => typeof inner === 'object' && inner.name === 'a')
  const id = typeof link === 'object' ? (link.attributes['id'] ?? link.attributes['name']) : undefined
  return id !== undefined && /^FOOT\d+$/.test(id) ? id : null
}

const googleNote = /^(?:ftnt|cmnt)\d+$/

/** Marks the footnotes and comments of Google Docs: each is a division that begins with a link to its reference. */
export function markGoogleNotes(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    const [paragraph] = element.children
    const [link] = typeof paragraph === 'object' ? paragraph.children : []
    const id = typeof link === 'object' && link.name === 'a' ? (link.attributes['id'] ?? '') : ''
    if (element.name === 'div' && typeof paragraph === 'object' && googleNote.test(id)) {
      element.attributes = { ...element.attributes, id, role: 'doc-footnote' }
      paragraph.children = paragraph.children.slice(1)
    }
    if (element.name === 'a' && googleNote.test(element.attributes['href']?.slice(1) ?? ''))
      element.attributes = { ...element.attributes, role: 'doc-noteref' }
  }
}

/** Removes the point between the number of a note, which is a link to its reference, and its text. */
export function trimNoteNumbers(root: MarkupElement): void {
  for (const { attributes, children } of elementsOf(root)) {
    if (attributes['id'] === undefined || !isNote(attributes)) continue
    const at = children.findIndex((child) => typeof child === 'object')
    const [link, text] = children.slice(at, at + 2)
    if (typeof link === 'object' && link.name === 'a' && typeof text === 'string')
      children[at + 1] = text.replace(/^\s*[.):]\s/, ' ')
  }
}

/** Adds the notes that a page has beside its main text, as those of Asciidoctor, to the end of that text. */
export function addNotesBeside(main: MarkupElement, root: MarkupElement): void {
  const targets = new Set<string>()
  for (const { name, attributes } of elementsOf(main))
    if (name === 'a' && attributes['href']?.startsWith('#')) targets.add(attributes['href'].slice(1))
  const waiting = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === main) continue
    // An element around the main text has at least as many characters.
    if (!isNotes(next) || next.textLength >= main.textLength) {
      for (const child of next.children) if (typeof child === 'object') waiting.push(child)
    } else if (hasTarget(next, targets))
      main.children.push({ ...next, attributes: { ...next.attributes, role: 'doc-endnotes' } })
  }
}

function isNotes({ attributes }: MarkupElement): boolean {
  return attributes['id'] === 'footnotes' || isNoteList(attributes)
}

function hasTarget(notes: MarkupElement, targets: ReadonlySet<string>): boolean {
  for (const { attributes } of elementsOf(notes)) if (targets.has(attributes['id'] ?? '')) return true
  return false
}
