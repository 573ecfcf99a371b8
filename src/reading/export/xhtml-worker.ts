import { parentPort } from 'node:worker_threads'
import { useFormulas } from '../../text/markdown/use-formulas.ts'
import { createPartRenderer, renderPart, type XhtmlPart } from './render-xhtml.ts'

const renderWithFormulas = createPartRenderer((parser) => useFormulas(parser, (formula) => `<div>${formula}</div>\n`))

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const post = (message: string | null) => parentPort?.postMessage(message)

parentPort?.on('message', (part: XhtmlPart) => post(render(part)))
// The thread has started.
post(null)

function render(part: XhtmlPart): string | null {
  try {
    return (part.math ? renderWithFormulas : renderPart)(part)
  } catch {
    // If a library fails on a part, its text is exported as it is.
    return null
  }
}
