import { runTask, type Agent, type Run } from './run-task.ts'
import type { Check } from './score-calls.ts'
import { score, type Score } from './score.ts'
import type { Task } from './task.ts'

/** The result of one task. */
export interface Result extends Score {
  task: Task
  run: Run
}

interface EvaluateOptions {
  /** The number of tasks that run concurrently, each on a separate server. */
  jobs?: number
  /** Creates an agent for a task. */
  agentFor(task: Task): Agent
  /** Checks in addition to those of the task. */
  extraChecks?(task: Task, run: Run): Check[]
  onResult?(result: Result): void | Promise<void>
}

/** Runs tasks in the given order and scores them. A crashed task counts as failed. */
export async function evaluate(tasks: readonly Task[], options: EvaluateOptions): Promise<Result[]> {
  const { jobs = 2, agentFor, extraChecks, onResult } = options
  const results: Result[] = []
  const queue = [...tasks.entries()]
  async function runNext(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, task] = next
      const run = await runTask(task, agentFor(task))
      const result = { task, run, ...score(task, run, extraChecks?.(task, run)) }
      results[index] = result
      await onResult?.(result)
    }
  }
  await Promise.all(Array.from({ length: jobs }, runNext))
  return results
}
