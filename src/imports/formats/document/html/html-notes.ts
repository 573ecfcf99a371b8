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
