import type { Call } from '../../core/context.ts'
import { siblingProgram } from '../../core/sibling-program.ts'
import { createJobThread } from '../../runtime/job-thread.ts'
import { createSlots } from '../../runtime/slots.ts'
import { renderPart, type XhtmlPart } from './render-xhtml.ts'
import { escapeXml } from './xml-text.ts'

/** Shorter parts take a few milliseconds, and hostile ones some tens of them. UTF-16 units. */
const maxInlineLength = 5000

const thread = createJobThread<XhtmlPart, string | null>(siblingProgram(import.meta.url, 'xhtml-worker'), {
  name: 'exports',
  timeMs: 10_000,
  idleMs: 60_000,
})
const line = createSlots({ perKey: 1, total: 1, maxWaitingPerKey: Infinity, maxWaitMs: 10 * 60_000 })

/**
 * Renders a part of a page like `renderPart`, and its formulas as MathML. Long parts and those with formulas are rendered in a
 * thread of this process, one at a time, so that they do not block other calls; accounts take turns. One that takes more than
 * 10 seconds or 192 MB becomes preformatted text. Throws if the client disconnects or ten minutes pass while the part waits.
 */
export async function renderPartInThread({ actor, signal }: Call, part: XhtmlPart): Promise<string> {
  if (!part.math && part.text.length <= maxInlineLength) return renderPart(part)
  const release = await line.take(actor.id, signal)
  if (!release) throw new Error('A part of an export waited for more than ten minutes')
  try {
    return (await thread.run(part)) ?? `<pre>${escapeXml(part.text)}</pre>\n`
  } finally {
    release()
  }
}
