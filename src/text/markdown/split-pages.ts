import { frontMatterEnd } from './front-matter.ts'
import { scanHeadings } from './scan-headings.ts'

/**
 * Splits a Markdown text into pages. A page begins at each top-level `# ` heading; text before the first is a page of
 * its own unless it is blank. Joining the pages restores the text exactly; an empty text has none.
 */
export function splitPages(text: string): string[] {
  if (text === '') return []
  const starts: number[] = []
  scanHeadings(text, bodyStart(text), (heading) => {
    if (heading.atx && heading.level === 1) starts.push(heading.start)
  })
  const [first = 0] = starts
  if (first === 0 || text.slice(0, first).trim() === '') starts[0] = 0
  else starts.unshift(0)
  return starts.map((start, index) => text.slice(start, starts[index + 1]))
}

/** Offset at which the Markdown begins, after a byte-order mark and the front matter. */
export function bodyStart(text: string): number {
  return frontMatterEnd(text) || (text.startsWith('\uFEFF') ? 1 : 0)
}
