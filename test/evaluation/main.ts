import { evaluate } from './evaluate.ts'
import { liveAgent } from './live-agent.ts'
import { readOptions, UsageError, type Options } from './options.ts'
import { reportOf, table } from './report.ts'
import type { Agent } from './run-task.ts'
import type { Task } from './task.ts'
import { tasks as allTasks } from './tasks/index.ts'
import { checkReplay, ownTranscripts, readTranscripts, replay, writeTranscript, type Transcript } from './transcript.ts'

try {
  await main(readOptions(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}

/** Prints the table on stderr and the report as JSON on stdout. Exit status 1 when a task failed. */
async function main(options: Options): Promise<void> {
  const tasks = chosen(options)
  const { name, makerOf, agentFor, more } = options.endpoint === undefined ? recorded(options, tasks) : live(options)
  const results = await evaluate(tasks, {
    jobs: options.jobs,
    agentFor,
    more,
    async done({ task, run, passed }) {
      console.error(`${passed ? 'ok    ' : 'FAILED'} ${task.id}`)
      if (options.record)
        await writeTranscript(options.record, { task: task.id, agent: makerOf(task), turns: run.turns })
    },
  })
  console.error(`\n${table(results)}`)
  console.log(JSON.stringify(reportOf(name, results), null, 2))
  if (results.some(({ passed }) => !passed)) process.exitCode = 1
}

function chosen({ tasks: wanted }: Options): readonly Task[] {
  if (!wanted) return allTasks
  const unknown = wanted.filter((id) => !allTasks.some((task) => task.id === id))
  if (unknown.length > 0) throw new UsageError(`There is no task ${unknown.join(', ')}`)
  return allTasks.filter(({ id }) => wanted.includes(id))
}

interface Plan {
  name: string
  /** Who makes the calls of a task. */
  makerOf(task: Task): string
  agentFor(task: Task): Agent
  more?: Parameters<typeof evaluate>[1]['more']
}

function live({ endpoint = '', api = 'openai', model = '', 'key-env': keyName }: Options): Plan {
  const key = keyName === undefined ? undefined : process.env[keyName]
  if (keyName !== undefined && !key) throw new UsageError(`${keyName} is not set`)
  return { name: model, makerOf: () => model, agentFor: () => liveAgent({ endpoint, api, model, key }) }
}

/** Transcripts are compared with what the server answers now, unless they are being written anew. */
function recorded({ transcripts: directory = ownTranscripts, record }: Options, tasks: readonly Task[]): Plan {
  const transcripts = readTranscripts(directory)
  const missing = tasks.filter(({ id }) => !transcripts.has(id))
  if (missing.length > 0)
    throw new UsageError(`${directory} has no transcript of ${missing.map(({ id }) => id).join(', ')}`)
  const of = ({ id }: Task) => transcripts.get(id) as Transcript
  return {
    name: 'transcripts',
    makerOf: (task) => of(task).agent,
    agentFor: (task) => replay(of(task)),
    ...(record === undefined ? { more: (task, run) => checkReplay(of(task), run.turns) } : {}),
  }
}
