import { siblingProgram } from '../../core/sibling-program.ts'
import { createJobThread } from '../../runtime/job-thread.ts'
import { createSemaphore } from '../../runtime/semaphore.ts'
import { renderPart, type XhtmlPart } from './render-xhtml.ts'
import { escapeXml } from './xml-text.ts'

/** Shorter parts take a few milliseconds, and hostile ones some tens of them. UTF-16 units. */
const maxInlineLength = 5000

const thread = createJobThread<XhtmlPart, string | null>(siblingProgram(import.meta.url, 'xhtml-worker'), {
  name: 'exports',
  timeMs: 10_000,
  idleMs: 60_000,
})
const runNext = createSemaphore(1)

/**
 * Renders a part of a page like `renderPart`, and its formulas as MathML. Long parts and those with formulas are rendered in a
 * thread of this process, one at a time, so that they do not block other calls; one that takes more than 10 seconds or 192 MB
 * becomes preformatted text.
 */
export async function renderPartInThread(part: XhtmlPart): Promise<string> {
  if (!part.math && part.text.length <= maxInlineLength) return renderPart(part)
  const rendered = await runNext(() => thread.run(part))
  return rendered ?? `<pre>${escapeXml(part.text)}</pre>\n`
}
