import type { Result } from './evaluate.ts'
import type { Check } from './score-calls.ts'

const checkKinds = ['calls', 'forbidden', 'claims', 'citations', 'answer', 'cost', 'replay'] as const

/** Formats the results as a table: for each task the passed and total checks, its cost, and its failures. */
export function formatTable(results: readonly Result[]): string {
  const headers = ['task', '', ...checkKinds, 'made', 'tokens', 'reads', 's']
  const rows = results.map(({ task, run, passed, checks }) => [
    task.id,
    passed ? 'ok' : 'FAILED',
    ...checkKinds.map((kind) => formatPassRatio(checks.filter((check) => check.kind === kind))),
    String(callsOf(run.turns).length),
    String(run.tokens),
    String(run.reads),
    run.seconds.toFixed(1),
  ])
  const widths = headers.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const lines = [headers, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...lines, '', ...results.flatMap(failures), summary(results)].join('\n')
}

/** Returns the results for programs. */
export function toReport(agent: string, results: readonly Result[]) {
  return {
    agent,
    passed: results.filter(({ passed }) => passed).length,
    tasks: results.map(({ task, run, passed, checks }) => ({
      id: task.id,
      passed,
      calls: callsOf(run.turns).length,
      tokens: run.tokens,
      reads: run.reads,
      seconds: Number(run.seconds.toFixed(2)),
      failed: checks.filter(({ ok }) => !ok).map(({ kind, description: what }) => ({ kind, what })),
    })),
  }
}

function summary(results: readonly Result[]): string {
  const tools = new Set(results.flatMap(({ run }) => callsOf(run.turns).map(({ tool }) => tool)))
  const passed = results.filter((result) => result.passed).length
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0)
  const cost = `${sum(({ run }) => callsOf(run.turns).length)} calls of ${tools.size} tools, ${sum(({ run }) => run.tokens)} tokens`
  return `${passed} of ${results.length} tasks passed; ${cost}`
}

function failures({ task, passed, checks }: Result): string[] {
  if (passed) return []
  return [task.id, ...checks.filter(({ ok }) => !ok).map(({ kind, description: what }) => `  ${kind}: ${what}`), '']
}

function formatPassRatio(checks: readonly Check[]): string {
  return checks.length === 0 ? '' : `${checks.filter(({ ok }) => ok).length}/${checks.length}`
}

function callsOf(turns: Result['run']['turns']) {
  return turns.flatMap(({ rounds }) => rounds.flat())
}
