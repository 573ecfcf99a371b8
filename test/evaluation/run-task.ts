import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { fillWorld, makeEdit } from './fill-task-server.ts'
import { openHands, type Call, type CallResult, type Hands, type OfferedTool } from './mcp-session.ts'
import { matches } from './score-calls.ts'
import type { Task } from './task.ts'
import { readBlock, type TracedCall, type TracedTurn } from './trace.ts'
import { openWorld, type KnownBook, type World } from './task-server.ts'

/** What an agent has to work with. */
export interface Desk {
  tools: readonly OfferedTool[]
  instructions: string
  /** Makes the calls of one step together; results come in the order of the calls. */
  act(calls: readonly Call[]): Promise<CallResult[]>
  /** What a recorded text or value is in this run. */
  fill: World['symbols']['fill']
}

/** Answers what the user says, turn by turn, calling tools on the way. Throws when it cannot go on. */
export interface Agent {
  answer(says: string, desk: Desk): Promise<string>
}

/** What an agent did with a task, and what it cost. */
export interface Run {
  turns: TracedTurn[]
  /** Everything that successful calls returned, text by text. */
  seen: string[]
  known: KnownBook[]
  tokens: number
  reads: number
  seconds: number
  /** Why the run ended before its time. */
  problem?: string
}

/** Lets an agent do a task on a fresh server. A crash of the agent or the server is the run's `problem`. */
export async function runTask(task: Task, agent: Agent): Promise<Run> {
  const run: Run = { turns: [], seen: [], known: [], tokens: 0, reads: 0, seconds: 0 }
  const begun = performance.now()
  try {
    const world = await openWorld(task.start ?? {})
    try {
      await play({ task, agent, world, run })
    } finally {
      await world.close()
    }
  } catch (error) {
    run.problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
  run.seconds = (performance.now() - begun) / 1000
  return run
}

interface Play {
  task: Task
  agent: Agent
  world: World
  run: Run
}

async function play({ task, agent, world, run }: Play): Promise<void> {
  await fillWorld(world, task.start ?? {})
  const readsBefore = await world.readsUsed()
  const hands = await openHands(world)
  const watch = somebodyElse(task, world)
  try {
    for (const says of task.says) {
      const turn: TracedTurn = { rounds: [], answer: '' }
      run.turns.push(turn)
      const act = async (calls: readonly Call[]): Promise<CallResult[]> => {
        const results = await Promise.all(calls.map((call) => hands.call(call)))
        const traced = calls.map((call, at) => traceCall(world, call, results[at] as CallResult))
        turn.rounds.push(traced)
        note(run, results)
        await watch(traced)
        return results
      }
      turn.answer = world.symbols.hide(await agent.answer(says, deskOf(hands, world, act)))
    }
  } finally {
    await hands.close()
    run.reads = (await world.readsUsed()) - readsBefore
    run.known = await world.knownBooks()
  }
}

function deskOf({ tools, instructions }: Hands, { symbols }: World, act: Desk['act']): Desk {
  return { tools, instructions, act, fill: symbols.fill }
}

function traceCall({ symbols }: World, call: Call, { text, isError }: CallResult): TracedCall {
  const args = symbols.hide(call.arguments)
  const content = symbols.hideResult(text).map(readBlock)
  return { tool: call.tool, arguments: args, result: { content, ...(isError ? { isError } : {}) } }
}

function note(run: Run, results: readonly CallResult[]): void {
  for (const { text, isError, structured } of results) {
    run.tokens += text.reduce((sum, block) => sum + countTokens(block), 0)
    if (!isError) run.seen.push(...textsIn(structured ?? text), ...text)
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Makes the edit of a task's `meanwhile` behind the first call that it waits for. */
function somebodyElse({ meanwhile }: Task, world: World): (calls: readonly TracedCall[]) => Promise<void> {
  let waiting = meanwhile
  return async (calls) => {
    if (!waiting || !calls.some((call) => waiting && matches(call, waiting.after))) return
    const { edit } = waiting
    waiting = undefined
    await makeEdit(world, edit)
  }
}
