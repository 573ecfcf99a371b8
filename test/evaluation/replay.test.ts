import { beforeAll, describe, expect, test } from 'vitest'
import { tools } from '../../tools/index.ts'
import { evaluate, type Result } from './evaluate.ts'
import { toReport, formatTable } from './report.ts'
import { tasks } from './tasks/index.ts'
import {
  checkReplay,
  recordedTranscriptsDirectory,
  readTranscripts,
  createReplayAgent,
  type Transcript,
} from './transcript.ts'

// If a result was meant to change: run `npm run evaluate -- --record test/evaluation/transcripts` and `npm run format`,
// and check the diff.
describe('the recorded transcripts', () => {
  const transcripts = readTranscripts(recordedTranscriptsDirectory)
  const results = new Map<string, Result>()

  beforeAll(async () => {
    const of = (id: string) => transcripts.get(id) as Transcript
    const all = await evaluate(
      tasks.filter(({ id }) => transcripts.has(id)),
      {
        agentFor: ({ id }) => createReplayAgent(of(id)),
        extraChecks: ({ id }, { turns }) => checkReplay(of(id), turns),
      },
    )
    for (const result of all) results.set(result.task.id, result)
  }, 600_000)

  test.for(tasks.map(({ id }) => id))('%s: each call has the recorded result, and the scorer passes', (id) => {
    const failed = results.get(id)?.checks.filter(({ ok }) => !ok)
    expect(failed).toEqual([])
  })

  test('belong to existing tasks only', () => {
    expect([...transcripts.keys()].sort()).toEqual(tasks.map(({ id }) => id).sort())
  })

  test('call every tool that is offered to agents, successfully', () => {
    const calls = [...results.values()].flatMap(({ run }) => run.turns.flatMap(({ rounds }) => rounds.flat()))
    const called = new Set(calls.filter(({ result }) => !result.isError).map(({ tool }) => tool))
    const offered = tools.filter(({ mcp }) => mcp !== false).map(({ name }) => name)
    expect(offered.filter((name) => !called.has(name))).toEqual([])
  })

  test('are reported as a table and as JSON', () => {
    const all = [...results.values()]
    expect(formatTable(all)).toContain(`${all.length} of ${all.length} tasks passed`)
    expect(toReport('transcripts', all)).toMatchObject({ passed: all.length, tasks: { length: all.length } })
  })
})
