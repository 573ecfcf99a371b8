import { expectedFailures } from './expected-failures.ts'
import { runConformance, type ConformanceRun } from './runs.ts'

const runs = await runConformance()
const rows = runs.map((run) => [run.name, run.description, `${run.passed} of ${run.scored}`, checksOf(run)])
const heads = ['run', 'what', 'scored scenarios', 'checks']
const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)))
for (const row of [heads, ...rows]) console.log(row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))

for (const run of runs) {
  for (const scenario of run.expectedFailures)
    console.log(`\nexpected: ${run.name}: ${scenario}\n  ${expectedFailures[run.name]?.[scenario]}`)
  for (const scenario of run.unexpectedResults) {
    const failures = run.outcomes.find((outcome) => outcome.scenario === scenario)?.failures ?? []
    console.log(
      `\nUNEXPECTED: ${run.name}: ${scenario}\n  ${failures.join('\n  ') || 'passes: take it out of expected-failures.ts'}`,
    )
  }
  const others = run.outcomes.filter(({ scored }) => !scored)
  if (others.length > 0) {
    const passed = others.filter(({ failures }) => failures.length === 0)
    console.log(
      `\nnot scored: ${run.name}: ${passed.length} of ${others.length} pass (extensions that Lectern does not offer, and pending ones)`,
    )
  }
}
if (runs.some(({ unexpectedResults: unexpected }) => unexpected.length > 0)) process.exitCode = 1

function checksOf({ outcomes }: ConformanceRun): string {
  const scored = outcomes.filter((outcome) => outcome.scored)
  const sum = (of: (outcome: (typeof scored)[0]) => number) => scored.reduce((total, outcome) => total + of(outcome), 0)
  const passed = sum((outcome) => outcome.passed)
  return `${passed} of ${passed + sum(({ failures }) => failures.length)}`
}
