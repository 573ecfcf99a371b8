import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import { z } from 'zod'
import type { Check } from './score-calls.ts'
import type { Agent } from './run-task.ts'
import type { TracedCall, TracedTurn } from './trace.ts'

const RecordedCall = z.strictObject({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** Absent in a script that has never been run. */
  result: z.strictObject({ content: z.array(z.unknown()), isError: z.literal(true).optional() }).optional(),
})

const Transcript = z.strictObject({
  task: z.string(),
  /** The origin of the calls: a model's name, or `script`. */
  agent: z.string(),
  turns: z.array(z.strictObject({ rounds: z.array(z.array(RecordedCall)), answer: z.string() })),
})
export type Transcript = z.infer<typeof Transcript>

/** The transcripts of this folder, one for each task. */
export const recordedTranscriptsDirectory = fileURLToPath(new URL('transcripts', import.meta.url))

/** Reads the transcripts of a folder, by task. */
export function readTranscripts(directory: string): Map<string, Transcript> {
  const files = readdirSync(directory).filter((name) => name.endsWith('.json'))
  const all = files.map((name) => Transcript.parse(JSON.parse(readFileSync(join(directory, name), 'utf8'))))
  return new Map(all.map((transcript) => [transcript.task, transcript]))
}

/** Stores the actions of an agent as a transcript. */
export async function writeTranscript(directory: string, transcript: Transcript): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, `${transcript.task}.json`), `${JSON.stringify(transcript, null, 2)}\n`)
}

/** Creates an agent that makes the recorded calls and gives the recorded answers. */
export function createReplayAgent({ turns }: Transcript): Agent {
  let next = 0
  return {
    async answer(_, toolkit) {
      const turn = turns[next++]
      if (!turn) throw new Error(`The transcript ends after ${turns.length} turns`)
      for (const round of turn.rounds) {
        await toolkit.callTools(
          round.map((call) => ({ tool: call.tool, arguments: toolkit.resolvePlaceholders(call.arguments) })),
        )
      }
      return toolkit.resolvePlaceholders(turn.answer)
    },
  }
}

/** Checks that each recorded call returned the same result again. */
export function checkReplay(recorded: Transcript, turns: readonly TracedTurn[]): Check[] {
  const before = recorded.turns.flatMap(({ rounds }) => rounds.flat())
  const now = turns.flatMap(({ rounds }) => rounds.flat())
  return before.map(({ tool, result }, at) => {
    const actual = now[at]?.result
    const ok = isDeepStrictEqual(result, actual)
    const what = `call ${at + 1}, ${tool}`
    return { kind: 'replay', description: ok ? what : `${what}: ${firstDifference(result, actual)}`, ok }
  })
}

/** Returns the first difference of two results, with some context of both. */
function firstDifference(recorded: TracedCall['result'] | undefined, actual: TracedCall['result'] | undefined): string {
  const [before, now] = [JSON.stringify(recorded) ?? 'not recorded', JSON.stringify(actual) ?? 'not made']
  let at = 0
  while (at < before.length && before[at] === now[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 40), at + 80)
  return `recorded …${around(before)}… now …${around(now)}…`
}
