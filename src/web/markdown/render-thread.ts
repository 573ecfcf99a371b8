import { Worker } from 'node:worker_threads'
import { siblingProgram } from '../../core/sibling-program.ts'
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

const maxStartMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 }

/**
 * Creates a thread that starts with the first page and ends when it is idle. A page that takes too much time or memory
 * terminates the thread; the next page starts another.
 */
export function createRenderThread({ timeMs, idleMs }: RenderLimits): RenderThread {
  let worker: Promise<Worker> | null = null
  let idle: NodeJS.Timeout | undefined
  const end = (running: Worker) => {
    worker = null
    void running.terminate()
  }
  return {
    async render(job) {
      clearTimeout(idle)
      worker ??= start()
      const running = await worker.catch(() => null)
      if (running === null) {
        worker = null
        return null
      }
      const html = await ask(running, job, timeMs)
      if (html === undefined) end(running)
      else idle = setTimeout(() => end(running), idleMs).unref()
      return html ?? null
    },
  }
}

async function start(): Promise<Worker> {
  const worker = new Worker(siblingProgram(import.meta.url, 'render-worker'), { name: 'pages', resourceLimits })
  worker.unref()
  // The caller that waits for an answer receives the error; without a listener it would end the process.
  worker.on('error', () => {})
  if ((await answerOf(worker, maxStartMs)) !== undefined) return worker
  void worker.terminate()
  throw new Error('the rendering thread did not start')
}

/** Returns the HTML, null if the page cannot be rendered, or undefined if the thread did not answer. */
async function ask(worker: Worker, job: RenderJob, timeMs: number): Promise<string | null | undefined> {
  const answer = answerOf(worker, timeMs)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(job)
  return (await answer)?.html
}

function answerOf(worker: Worker, timeMs: number): Promise<RenderedJob | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: RenderedJob) => {
      clearTimeout(timer)
      worker.off('message', settle).off('error', fail).off('exit', fail)
      resolve(answer)
    }
    const fail = () => settle()
    const timer = setTimeout(fail, timeMs)
    worker.once('message', settle).once('error', fail).once('exit', fail)
  })
}
