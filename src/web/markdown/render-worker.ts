import { parentPort } from 'node:worker_threads'
import { renderMarkdown, type RenderOptions } from './render-markdown.ts'

/** A page for the rendering thread. */
export interface RenderJob extends RenderOptions {
  source: string
}

/** What the rendering thread answers; null: the page could not be rendered. */
export interface RenderedJob {
  html: string | null
}

parentPort?.on('message', (job: RenderJob) => {
  parentPort?.postMessage({ html: render(job) } satisfies RenderedJob)
})
parentPort?.postMessage({ html: null } satisfies RenderedJob)

function render({ source, ...options }: RenderJob): string | null {
  try {
    return renderMarkdown(source, options)
  } catch {
    // A page on which a library fails is shown as it is stored.
    return null
  }
}
