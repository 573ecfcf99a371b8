import { evaluate } from './evaluate.ts'
import { liveAgent } from './live-agent.ts'
import { readOptions, UsageError, type Options } from './options.ts'
import { toReport, formatTable } from './report.ts'
import type { Agent } from './run-task.ts'
import type { Task } from './task.ts'
import { tasks as allTasks } from './tasks/index.ts'
import {
  checkReplay,
  recordedTranscriptsDirectory,
  readTranscripts,
  createReplayAgent,
  writeTranscript,
  type Transcript,
} from './transcript.ts'

try {
  await main(readOptions(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/** Prints the table on stderr and the report as JSON on stdout. The exit status is 1 if a task failed. */
async function main(options: Options): Promise<void> {
  const tasks = selectTasks(options)
  const { name, agentNameOf, agentFor, extraChecks } =
    options.endpoint === undefined ? planReplay(options, tasks) : planLiveRun(options)
  const results = await evaluate(tasks, {
    jobs: options.jobs,
    agentFor,
    extraChecks,
    async onResult({ task, run, passed }) {
      console.error(`${passed ? 'ok    ' : 'FAILED'} ${task.id}`)
      if (options.record)
        await writeTranscript(options.record, { task: task.id, agent: agentNameOf(task), turns: run.turns })
    },
  })
  console.error(`\n${formatTable(results)}`)
  console.log(JSON.stringify(toReport(name, results), null, 2))
  if (results.some(({ passed }) => !passed)) process.exitCode = 1
}

function selectTasks({ tasks: requestedIds }: Options): readonly Task[] {
  if (!requestedIds) return allTasks
  const unknown = requestedIds.filter((id) => !allTasks.some((task) => task.id === id))
  if (unknown.length > 0) throw new UsageError(`There is no task ${unknown.join(', ')}`)
  return allTasks.filter(({ id }) => requestedIds.includes(id))
}

interface EvaluationPlan {
  name: string
  /** The model or script that makes the calls of a task. */
  agentNameOf(task: Task): string
  agentFor(task: Task): Agent
  extraChecks?: Parameters<typeof evaluate>[1]['extraChecks']
}

function planLiveRun({ endpoint = '', api = 'openai', model = '', 'key-env': keyName }: Options): EvaluationPlan {
  const key = keyName === undefined ? undefined : process.env[keyName]
  if (keyName !== undefined && !key) throw new UsageError(`${keyName} is not set`)
  return { name: model, agentNameOf: () => model, agentFor: () => liveAgent({ endpoint, api, model, key }) }
}

/** Transcripts are compared with the server's current answers, unless they are being recorded again. */
function planReplay(
  { transcripts: directory = recordedTranscriptsDirectory, record }: Options,
  tasks: readonly Task[],
): EvaluationPlan {
  const transcripts = readTranscripts(directory)
  const missing = tasks.filter(({ id }) => !transcripts.has(id))
  if (missing.length > 0)
    throw new UsageError(`${directory} has no transcript of ${missing.map(({ id }) => id).join(', ')}`)
  const of = ({ id }: Task) => transcripts.get(id) as Transcript
  return {
    name: 'transcripts',
    agentNameOf: (task) => of(task).agent,
    agentFor: (task) => createReplayAgent(of(task)),
    ...(record === undefined ? { extraChecks: (task, run) => checkReplay(of(task), run.turns) } : {}),
  }
}
