import { decodeMarkup } from '../../epub/decode-markup.ts'
import { elementsOf, parseMarkup, type MarkupElement } from './markup-tree.ts'
import type { WebArchive } from './web-archive.ts'

const frame = /^i?frame$/
/** The start of a file that is a page. */
const pageStart = /^[\s\uFEFF]*<(?:!doctype\s+html|html|head|body|\?xml)/i
const maxDepth = 4

/**
 * Replaces frames with their content: what the page itself contains, and the pages in its archive with more text than
 * the page around them, because small ones are advertisements and controls. Each page is shown once.
 */
export function fillFrames(root: MarkupElement, archive: WebArchive | null): void {
  const shown = new Set<string>()
  const fill = (page: MarkupElement, depth: number): void => {
    if (depth >= maxDepth) return
    // Collected first: frames in the content of these are deeper.
    const frames = elementsOf(page).filter(({ name }) => frame.test(name))
    for (const element of frames.toArray()) {
      const { srcdoc, src = '' } = element.attributes
      if (srcdoc === undefined && shown.has(src)) continue
      shown.add(src)
      const content = srcdoc === undefined ? framedPage(src, archive) : parseMarkup(srcdoc)
      if (content === null || (srcdoc === undefined && content.textLength <= page.textLength)) continue
      fill(content, depth + 1)
      element.name = 'div'
      element.children = [...elementsOf(content)].find(({ name }) => name === 'body')?.children ?? content.children
      element.textLength = content.textLength
      element.linkLength = content.linkLength
    }
  }
  fill(root, 0)
}

function framedPage(address: string, archive: WebArchive | null): MarkupElement | null {
  const bytes = archive?.find(address)?.read()
  const source = bytes === undefined ? '' : decodeMarkup(bytes)
  return pageStart.test(source) ? parseMarkup(source) : null
}
