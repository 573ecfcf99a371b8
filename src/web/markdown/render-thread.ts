import { siblingProgram } from '../../core/sibling-program.ts'
import { createJobThread } from '../../runtime/job-thread.ts'
import type { RenderedJob, RenderJob } from './render-worker.ts'

/** A thread that renders one page at a time. */
export interface RenderThread {
  /** Renders a page as HTML; null if it exceeds the limits. One call at a time. */
  render(job: RenderJob): Promise<string | null>
}

interface RenderLimits {
  /** Time limit per page, ms. */
  timeMs: number
  /** How long an idle thread is kept, ms. */
  idleMs: number
}

/** Creates a thread that starts with the first page; see `createJobThread`. */
export function createRenderThread({ timeMs, idleMs }: RenderLimits): RenderThread {
  const program = siblingProgram(import.meta.url, 'render-worker')
  const thread = createJobThread<RenderJob, RenderedJob>(program, { name: 'pages', timeMs, idleMs })
  return { render: async (job) => (await thread.run(job))?.html ?? null }
}
