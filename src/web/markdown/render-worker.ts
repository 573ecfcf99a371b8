import { parentPort } from 'node:worker_threads'
import { renderMarkdown, type RenderOptions } from './render-markdown.ts'

/** A page for the rendering thread. */
export interface RenderJob extends RenderOptions {
  source: string
}

/** The answer of the rendering thread; null: the page could not be rendered. */
export interface RenderedJob {
  html: string | null
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const post = (message: RenderedJob) => parentPort?.postMessage(message)

parentPort?.on('message', (job: RenderJob) => post({ html: render(job) }))
// The thread has started.
post({ html: null })

function render({ source, ...options }: RenderJob): string | null {
  try {
    return renderMarkdown(source, options)
  } catch {
    // If a library fails on a page, the page is shown as stored.
    return null
  }
}
