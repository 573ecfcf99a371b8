import type { Attributes, Conversion, Leave } from './conversion.ts'
import { isBackLink, isNote, isNoteReference } from './note-labels.ts'
import { resolveHref } from './resolve-path.ts'

const longestUrl = 2_000
const largestNumber = 999_999_999

export function enterList(to: Conversion, attributes: Attributes, name: string): Leave {
  to.writer.flush()
  const next = Number.parseInt(attributes.start ?? '1', 10)
  const nested = to.lists.length > 0 && to.writer.started
  to.lists.push({ ordered: name === 'ol', next: clampNumber(next), items: 0, nested })
  return () => {
    to.writer.flush()
    to.lists.pop()
  }
}

export function enterItem(to: Conversion, attributes: Attributes): Leave {
  if (isNote(attributes)) return enterNote(to, attributes)
  const list = to.lists.at(-1) ?? { ordered: false, next: 1, items: 0, nested: false }
  const value = Number.parseInt(attributes.value ?? '', 10)
  if (!Number.isNaN(value)) list.next = clampNumber(value)
  const marker = list.ordered ? `${list.next}. ` : '- '
  const tight = list.items > 0 || (list.nested && (!list.ordered || list.next === 1))
  list.items++
  list.next = clampNumber(list.next + 1)
  to.writer.enter(' '.repeat(marker.length), marker, tight)
  return () => to.writer.leave()
}

/** A footnote or endnote: `[^label]: text`, the label that its references have. */
export function enterNote(to: Conversion, attributes: Attributes): Leave {
  if (attributes.id === undefined) {
    to.writer.flush()
    return () => to.writer.flush()
  }
  const label = to.options.notes.define(to.options.path, attributes.id)
  to.writer.enter('    ', `[^${label}]: `, false)
  to.notes++
  return () => {
    to.writer.leave()
    to.notes--
  }
}

/** Links to the web stay links; one inside of the book is text; one to a note becomes its reference. */
export function enterLink(to: Conversion, attributes: Attributes): Leave {
  const { inline } = to.writer
  const href = (attributes.href ?? '').trim()
  if (to.notes > 0 && isBackLink(attributes)) {
    to.skip()
    return null
  }
  const target = href === '' ? null : resolveHref(to.options.path, href)
  if (target !== null && target.fragment !== null && isNoteReference(attributes)) {
    const { path, fragment } = target
    inline.open('', '', (inner) => `[^${to.options.notes.refer(path, fragment, inner)}]`)
  } else if (/^(?:https?|mailto):/i.test(href) && href.length <= longestUrl) {
    const url = href
      .replace(/[\s()<>\\]/g, encodeURIComponent)
      .replaceAll('(', '%28')
      .replaceAll(')', '%29')
    inline.open('', '', (inner) => (inner === href ? `<${url}>` : `[${inner}](${url})`))
  } else return null
  return () => inline.close()
}

function clampNumber(value: number): number {
  return Number.isNaN(value) ? 1 : Math.min(Math.max(value, 0), largestNumber)
}
