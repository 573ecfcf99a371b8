// The token cost of the tools for a model, compared with the recorded baseline. `--record` makes the current figures
// the baseline.
import { readFile, writeFile } from 'node:fs/promises'
import { tools } from '../tools/index.ts'
import { measureTokens, toolBudget, totalTokens } from './measure-tokens.ts'

const file = new URL('tokens.json', import.meta.url)
const costs = measureTokens(tools)
const total = totalTokens(costs)

if (process.argv.includes('--record')) {
  await writeFile(
    file,
    `${JSON.stringify(Object.fromEntries(costs.map((cost) => [cost.name, cost.tokens])), null, 2)}\n`,
  )
}
const baseline: Record<string, number> = JSON.parse(await readFile(file, 'utf8'))
const grown = (now: number, before: number | undefined) =>
  before === undefined ? 'new' : now === before ? '' : `${now > before ? '+' : ''}${now - before}`

console.log('tool                       tokens  growth  output schema')
for (const { name, tokens, outputTokens } of costs) {
  const growth = grown(tokens, baseline[name])
  console.log(
    `${name.padEnd(26)} ${String(tokens).padStart(6)} ${growth.padStart(7)} ${String(outputTokens).padStart(14)}`,
  )
}
const before = Object.values(baseline).reduce((sum, tokens) => sum + tokens, 0)
const output = costs.reduce((sum, { outputTokens }) => sum + outputTokens, 0)
console.log(
  `${`${costs.length} tools`.padEnd(26)} ${String(total).padStart(6)} ${grown(total, before).padStart(7)} ${String(output).padStart(14)}`,
)
console.log(`budget                     ${String(toolBudget.all).padStart(6)}          none over ${toolBudget.each}`)
