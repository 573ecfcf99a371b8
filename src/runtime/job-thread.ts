import { Worker } from 'node:worker_threads'

/** A thread that runs one job at a time. */
export interface JobThread<Job, Answer> {
  /** Runs a job; undefined if it exceeds the limits. One call at a time. */
  run(job: Job): Promise<Answer | undefined>
}

export interface JobThreadOptions {
  name: string
  /** Time limit per job, ms. */
  timeMs: number
  /** How long an idle thread is kept, ms. */
  idleMs: number
}

const maxStartMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 }

/**
 * Creates a thread that starts with the first job and ends when it is idle. Its program posts one message when it has
 * started, and one per job. A job that takes too much time or memory terminates the thread; the next job starts another.
 */
export function createJobThread<Job, Answer>(
  program: URL,
  { name, timeMs, idleMs }: JobThreadOptions,
): JobThread<Job, Answer> {
  let worker: Promise<Worker> | null = null
  let idle: NodeJS.Timeout | undefined
  const end = (running: Worker) => {
    worker = null
    void running.terminate()
  }
  return {
    async run(job) {
      clearTimeout(idle)
      worker ??= start(program, name)
      const running = await worker.catch(() => null)
      if (running === null) {
        worker = null
        return undefined
      }
      const answer = answerOf<Answer>(running, timeMs)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      running.postMessage(job)
      const answered = await answer
      if (answered === undefined) end(running)
      else idle = setTimeout(() => end(running), idleMs).unref()
      return answered
    },
  }
}

async function start(program: URL, name: string): Promise<Worker> {
  const worker = new Worker(program, { name, resourceLimits })
  worker.unref()
  // The caller that waits for an answer receives the error; without a listener it would end the process.
  worker.on('error', () => {})
  if ((await answerOf(worker, maxStartMs)) !== undefined) return worker
  void worker.terminate()
  throw new Error(`the thread ${name} did not start`)
}

function answerOf<Answer>(worker: Worker, timeMs: number): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: Answer) => {
      clearTimeout(timer)
      worker.off('message', settle).off('error', fail).off('exit', fail)
      resolve(answer)
    }
    const fail = () => settle()
    const timer = setTimeout(fail, timeMs)
    worker.once('message', settle).once('error', fail).once('exit', fail)
  })
}
