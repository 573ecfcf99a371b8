import type { Attributes, Conversion, Leave } from './conversion.ts'
import { isBackLink, isNote, isNoteReference } from './note-labels.ts'
import { resolveHref } from './resolve-path.ts'

const maxUrlLength = 2_000
const maxListNumber = 999_999_999

export function enterList(converter: Conversion, attributes: Attributes, name: string): Leave {
  converter.writer.flush()
  const next = Number.parseInt(attributes['start'] ?? '1', 10)
  const nested = converter.lists.length > 0 && converter.writer.hasText
  converter.lists.push({ ordered: name === 'ol', nextNumber: clampNumber(next), itemCount: 0, nested })
  return () => {
    converter.writer.flush()
    converter.lists.pop()
  }
}

export function enterItem(converter: Conversion, attributes: Attributes): Leave {
  if (isNote(attributes)) return enterNote(converter, attributes)
  const list = converter.lists.at(-1) ?? { ordered: false, nextNumber: 1, itemCount: 0, nested: false }
  const value = Number.parseInt(attributes['value'] ?? '', 10)
  if (!Number.isNaN(value)) list.nextNumber = clampNumber(value)
  const marker = list.ordered ? `${list.nextNumber}. ` : '- '
  const tight = list.itemCount > 0 || (list.nested && (!list.ordered || list.nextNumber === 1))
  list.itemCount++
  list.nextNumber = clampNumber(list.nextNumber + 1)
  converter.writer.enter(' '.repeat(marker.length), marker, tight)
  return () => converter.writer.leave()
}

/** A footnote or endnote: `[^label]: text`, with the label of its references. */
export function enterNote(converter: Conversion, attributes: Attributes): Leave {
  if (attributes['id'] === undefined) {
    converter.writer.flush()
    return () => converter.writer.flush()
  }
  const label = converter.options.notes.labelForNote(converter.options.path, attributes['id'])
  converter.writer.enter('    ', `[^${label}]: `, false)
  converter.noteDepth++
  return () => {
    converter.writer.leave()
    converter.noteDepth--
  }
}

/** Writes links to the web as links, links within the book as text, and links to a note as a note reference. */
export function enterLink(converter: Conversion, attributes: Attributes): Leave {
  const { inline } = converter.writer
  const href = (attributes['href'] ?? '').trim()
  if (converter.noteDepth > 0 && isBackLink(attributes)) {
    converter.skip()
    return null
  }
  const target = href === '' ? null : resolveHref(converter.options.path, href)
  if (target !== null && target.fragment !== null && isNoteReference(attributes)) {
    const { path, fragment } = target
    inline.open('', '', (inner) => `[^${converter.options.notes.labelForReference(path, fragment, inner)}]`)
  } else if (/^(?:https?|mailto):/i.test(href) && href.length <= maxUrlLength) {
    const url = href
      .replace(/[\s()<>\\]/g, encodeURIComponent)
      .replaceAll('(', '%28')
      .replaceAll(')', '%29')
    inline.open('', '', (inner) => (inner === href ? `<${url}>` : `[${inner}](${url})`))
  } else return null
  return () => inline.close()
}

function clampNumber(value: number): number {
  return Number.isNaN(value) ? 1 : Math.min(Math.max(value, 0), maxListNumber)
}
