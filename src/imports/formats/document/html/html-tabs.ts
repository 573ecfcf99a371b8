import { elementsOf, newElement, textOfMarkup, type MarkupElement } from './markup-tree.ts'

/** Maximum number of tabs in one group, and of elements in it. */
const maxTabs = 50
const maxElements = 500

/**
 * Writes the label of each tab above its panel, and shows panels that a page hides until somebody clicks. Tabs are
 * those of ARIA, or labels of radio buttons that are followed by as many panels.
 */
export function labelPanels(root: MarkupElement): void {
  const panels = new Map<string, MarkupElement>()
  let hasTabs = false
  for (const element of elementsOf(root)) {
    const { name, attributes } = element
    hasTabs ||= name === 'label' || attributes['role'] === 'tablist'
    if (attributes['role'] !== 'tabpanel') continue
    element.attributes = shown(attributes)
    if (attributes['id'] !== undefined) panels.set(attributes['id'], element)
  }
  for (const { children } of hasTabs ? elementsOf(root) : []) {
    for (const [at, child] of children.entries()) {
      if (typeof child === 'string') continue
      const tabs = tabsOf(child)
      if (tabs.length === 0) continue
      const named = tabs.map(({ attributes }) => panels.get(attributes['aria-controls'] ?? ''))
      const found = named.every((panel) => panel !== undefined) ? named : panelsAfter(children, at, tabs.length)
      // Several tabs of one panel are its filters.
      if (found === null || new Set(found).size < found.length) continue
      child.children = []
      for (const [index, panel] of found.entries()) {
        panel.children.unshift(labelOf(tabs[index]))
        panels.delete(panel.attributes['id'] ?? '')
      }
    }
  }
}

/** The tabs of a group: elements of the role, or the labels in a row of nothing but labels and radio buttons. */
function tabsOf(group: MarkupElement): MarkupElement[] {
  if (group.attributes['role'] === 'tablist') return tabsOfRole(group)
  const isRow = group.children.every((child) =>
    typeof child === 'string' ? child.trim() === '' : isLabel(child) || isRadio(child),
  )
  const labels = isRow ? group.children.filter(isLabel) : []
  return labels.length > maxTabs ? [] : labels
}

function tabsOfRole(group: MarkupElement): MarkupElement[] {
  const tabs: MarkupElement[] = []
  let count = 0
  for (const element of elementsOf(group)) {
    if (++count > maxElements) return []
    if (element.attributes['role'] === 'tab') tabs.push(element)
  }
  return tabs
}

function isRadio({ name, attributes }: MarkupElement): boolean {
  return name === 'input' && attributes['type'] === 'radio'
}

function isLabel(child: MarkupElement | string): child is MarkupElement {
  return typeof child === 'object' && child.name === 'label' && child.attributes['for'] !== undefined
}

/** The children of the next element, if their number is `count`. */
function panelsAfter(children: MarkupElement['children'], at: number, count: number): MarkupElement[] | null {
  for (let index = at + 1; index < children.length; index++) {
    const next = children[index]
    if (typeof next === 'string' && next.trim() === '') continue
    const panels = typeof next === 'object' ? next.children.filter((child) => typeof child === 'object') : []
    return panels.length === count ? panels : null
  }
  return null
}

function labelOf(tab: MarkupElement | undefined): MarkupElement {
  const label = newElement('p', {})
  const bold = newElement('strong', {})
  bold.children.push(tab === undefined ? '' : textOfMarkup(tab))
  label.children.push(bold)
  return label
}

function shown(attributes: MarkupElement['attributes']): MarkupElement['attributes'] {
  const { hidden: _hidden, style: _style, 'aria-hidden': _ariaHidden, ...others } = attributes
  return others
}
