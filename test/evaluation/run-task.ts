import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { fillTaskServer, makeEdit } from './fill-task-server.ts'
import { openMcpSession, type Call, type CallResult, type McpSession, type OfferedTool } from './mcp-session.ts'
import { matchesCall } from './score-calls.ts'
import type { Task } from './task.ts'
import { parseBlock, type TracedCall, type TracedTurn } from './trace.ts'
import { openTaskServer, type KnownBook, type TaskServer } from './task-server.ts'

/** The tools and context of an agent. */
export interface AgentToolkit {
  tools: readonly OfferedTool[]
  instructions: string
  /** Makes the calls of one step together; results come in the order of the calls. */
  callTools(calls: readonly Call[]): Promise<CallResult[]>
  /** Restores the values of this run in a recorded text or value. */
  resolvePlaceholders: TaskServer['symbols']['resolve']
}

/** Answers the user's messages, turn by turn, and calls tools. Throws if it cannot continue. */
export interface Agent {
  answer(message: string, toolkit: AgentToolkit): Promise<string>
}

/** The calls and answers of an agent in a task, and their cost. */
export interface Run {
  turns: TracedTurn[]
  /** The texts of all successful results. */
  readTexts: string[]
  knownBooks: KnownBook[]
  tokens: number
  reads: number
  seconds: number
  /** Why the run ended early. */
  problem?: string
}

/** Runs an agent on a task on a new server. A crash of the agent or the server becomes the run's `problem`. */
export async function runTask(task: Task, agent: Agent): Promise<Run> {
  const run: Run = { turns: [], readTexts: [], knownBooks: [], tokens: 0, reads: 0, seconds: 0 }
  const startedAt = performance.now()
  try {
    const taskServer = await openTaskServer(task.initialState ?? {})
    try {
      await runTurns({ task, agent, taskServer, run })
    } finally {
      await taskServer.close()
    }
  } catch (error) {
    run.problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
  run.seconds = (performance.now() - startedAt) / 1000
  return run
}

interface TaskRun {
  task: Task
  agent: Agent
  taskServer: TaskServer
  run: Run
}

async function runTurns({ task, agent, taskServer, run }: TaskRun): Promise<void> {
  await fillTaskServer(taskServer, task.initialState ?? {})
  const readsBefore = await taskServer.readsUsed()
  const session = await openMcpSession(taskServer)
  const editConcurrently = createConcurrentEditor(task, taskServer)
  try {
    for (const message of task.userTurns) {
      const turn: TracedTurn = { rounds: [], answer: '' }
      run.turns.push(turn)
      const callTools = async (calls: readonly Call[]): Promise<CallResult[]> => {
        const results = await Promise.all(calls.map((call) => session.call(call)))
        const traced = calls.map((call, at) => traceCall(taskServer, call, results[at] as CallResult))
        turn.rounds.push(traced)
        recordResults(run, results)
        await editConcurrently(traced)
        return results
      }
      turn.answer = taskServer.symbols.mask(await agent.answer(message, createToolkit(session, taskServer, callTools)))
    }
  } finally {
    await session.close()
    run.reads = (await taskServer.readsUsed()) - readsBefore
    run.knownBooks = await taskServer.knownBooks()
  }
}

function createToolkit(
  { tools, instructions }: McpSession,
  { symbols }: TaskServer,
  callTools: AgentToolkit['callTools'],
): AgentToolkit {
  return { tools, instructions, callTools, resolvePlaceholders: symbols.resolve }
}

function traceCall({ symbols }: TaskServer, call: Call, { text, isError }: CallResult): TracedCall {
  const args = symbols.mask(call.arguments)
  const content = symbols.maskResult(text).map(parseBlock)
  return { tool: call.tool, arguments: args, result: { content, ...(isError ? { isError } : {}) } }
}

function recordResults(run: Run, results: readonly CallResult[]): void {
  for (const { text, isError, structured } of results) {
    run.tokens += text.reduce((sum, block) => sum + countTokens(block), 0)
    if (!isError) run.readTexts.push(...collectTexts(structured ?? text), ...text)
  }
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(collectTexts)
}

/** Makes the edit of a task's `concurrentEdit` after the first matching call. */
function createConcurrentEditor(
  { concurrentEdit: meanwhile }: Task,
  taskServer: TaskServer,
): (calls: readonly TracedCall[]) => Promise<void> {
  let pendingEdit = meanwhile
  return async (calls) => {
    if (!pendingEdit || !calls.some((call) => pendingEdit && matchesCall(call, pendingEdit.after))) return
    const { edit } = pendingEdit
    pendingEdit = undefined
    await makeEdit(taskServer, edit)
  }
}
