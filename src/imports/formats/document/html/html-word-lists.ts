import { elementsOf, newElement, textOfSmall, type MarkupElement } from './markup-tree.ts'

/** The level of a paragraph that Word displays as a list item, from 1, and the id of its list. */
const listStyle = /(?:^|;)\s*mso-list\s*:\s*(l\d+)\s+level(\d)/i
/** The bullet or number of an item, which programs other than Word are to show. */
const markerStyle = /(?:^|;)\s*mso-list\s*:\s*ignore/i
const orderedMarker = /^\(?(?:(\d{1,4})|([a-z]{1,4})|([A-Z]{1,4}))[.)]$/

/** How many elements are searched for the marker of an item. */
const maxMarkerDepth = 12

interface Item {
  /** Where the item is listed: the id of the list and the level. */
  list: string
  level: number
  marker: string
  paragraph: MarkupElement
}

/** Makes lists of the paragraphs that Word saves with `mso-list`, nested by their levels and without their markers. */
export function buildWordLists(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    if (!element.children.some((child) => levelOf(child) !== null)) continue
    const children: MarkupElement['children'] = []
    let items: Item[] = []
    const flush = (): void => {
      for (const list of nest(items)) children.push(list)
      items = []
    }
    for (const child of element.children) {
      const place = levelOf(child)
      if (place !== null) items.push({ ...place, marker: takeMarker(place.paragraph), paragraph: place.paragraph })
      else if (items.length === 0 || typeof child !== 'string' || child.trim() !== '') {
        flush()
        children.push(child)
      }
    }
    flush()
    element.children = children
  }
}

function levelOf(child: MarkupElement | string): Omit<Item, 'marker'> | null {
  if (typeof child === 'string' || child.name !== 'p') return null
  const found = listStyle.exec(child.attributes['style'] ?? '')
  return found === null ? null : { list: found[1] ?? '', level: Number(found[2]), paragraph: child }
}

/** Removes the marker at the start of a paragraph and returns its text; empty if it has none. */
function takeMarker(paragraph: MarkupElement): string {
  for (const element of elementsOf(paragraph).take(maxMarkerDepth)) {
    const at = element.children.findIndex(
      (child) => typeof child === 'object' && markerStyle.test(child.attributes['style'] ?? ''),
    )
    const marker = element.children[at]
    if (typeof marker !== 'object') continue
    element.children.splice(at, 1)
    return textOfSmall(marker)?.replaceAll(/\s+/g, '') ?? ''
  }
  return ''
}

/** The lists of adjacent items. A level that is skipped has no list of its own. */
function nest(items: readonly Item[]): MarkupElement[] {
  const lists: MarkupElement[] = []
  let open: { key: string; level: number; element: MarkupElement }[] = []
  for (const { list, level, marker, paragraph } of items) {
    open = open.filter((outer) => outer.level <= level)
    const key = `${list} ${level} ${orderedMarker.test(marker)}`
    const last = open.at(-1)
    if (last?.level === level && last.key !== key) open.pop()
    let current = open.at(-1)
    if (current?.level !== level) {
      const parent = current?.element.children.at(-1)
      const element = newList(marker)
      if (typeof parent === 'object') parent.children.push(element)
      else lists.push(element)
      current = { key, level, element }
      open.push(current)
    }
    current.element.children.push({ ...paragraph, name: 'li', attributes: {} })
  }
  return lists
}

function newList(marker: string): MarkupElement {
  const [, digits, small] = orderedMarker.exec(marker) ?? []
  if (!orderedMarker.test(marker)) return newElement('ul', {})
  if (digits !== undefined) return newElement('ol', { start: digits })
  return newElement('ol', { type: /^\(?[ivx]/i.test(marker) ? (small ? 'i' : 'I') : small ? 'a' : 'A' })
}
