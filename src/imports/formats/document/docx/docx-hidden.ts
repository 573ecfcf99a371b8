import { isOn, value } from './docx-runs.ts'
import type { DocxStyles } from './docx-styles.ts'
import { childNodes, findChild, type XmlNode } from '../markup/xml-blocks.ts'

/** Elements of a paragraph that contain runs. */
const runHolders = /^w:(?:hyperlink|fldSimple|ins|moveTo|sdt|sdtContent|smartTag|customXml|bdo|dir)$/
const fieldParts = /^w:(?:fldChar|instrText)$/

/**
 * A paragraph without its hidden text (ECMA-376, part 1, 17.3.2.41), by the properties of its runs and their styles.
 * Keeps the parts of fields, of which only some may be hidden.
 */
export function withoutHiddenText(paragraph: XmlNode, styles: DocxStyles): XmlNode {
  if (!styles.hasHiddenText) return paragraph
  const style = value(findChild(findChild(paragraph, 'w:pPr'), 'w:pStyle')) ?? ''
  return keepVisible(paragraph, (run) => isHidden(run, { styles, isUsual: styles.isHidden(style) }))
}

function keepVisible(node: XmlNode, isHiddenRun: (run: XmlNode) => boolean): XmlNode {
  const children = node.children.map((child): XmlNode | string => {
    if (typeof child === 'string') return child
    if (runHolders.test(child.name)) return keepVisible(child, isHiddenRun)
    if (child.name !== 'w:r' || !isHiddenRun(child)) return child
    return { ...child, children: childNodes(child).filter(({ name }) => fieldParts.test(name)) }
  })
  return { ...node, children }
}

function isHidden(run: XmlNode, { styles, isUsual }: { styles: DocxStyles; isUsual: boolean }): boolean {
  const properties = findChild(run, 'w:rPr')
  const own = findChild(properties, 'w:vanish')
  if (own !== undefined) return isOn(own)
  const style = value(findChild(properties, 'w:rStyle'))
  return isUsual || (style !== undefined && styles.isHidden(style))
}
