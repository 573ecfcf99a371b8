import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { measureTokens, tokensOf, toolBudget, totalTokens } from '../../bench/measure-tokens.ts'
import { instructions } from '../../src/mcp/instructions.ts'
import { tools } from '../../tools/index.ts'

const costs = measureTokens(tools)

describe('the tokens of tools and instructions', () => {
  test(`all tools together have at most ${toolBudget.all} tokens`, async () => {
    const baseline = JSON.parse(await readFile(new URL('../../bench/tokens.json', import.meta.url), 'utf8'))
    const before = Object.values<number>(baseline).reduce((sum, tokens) => sum + tokens, 0)
    const total = totalTokens(costs)
    console.log(`${costs.length} tools: ${total} tokens, ${total - before} more than recorded (npm run tokens)`)
    expect(total).toBeLessThanOrEqual(toolBudget.all)
  })

  test.for(costs.map((cost) => [cost.name, cost.tokens] as const))(
    `%s has at most ${toolBudget.each} tokens`,
    ([, tokens]) => expect(tokens).toBeLessThanOrEqual(toolBudget.each),
  )

  test('the tokenizer counts languages differently', () => {
    expect(tokensOf('the library of books')).toBe(4)
    expect(tokensOf('本をよむ'.repeat(10))).toBeGreaterThan(20)
  })

  test('the workflow is in the first 512 characters of the instructions, which have at most 2,000', () => {
    expect(instructions.length).toBeLessThanOrEqual(2000)
    const steps = ['library_summary', 'search_items', 'get_table_of_contents', 'read_items', 'cite', 'report_gap']
    const places = steps.map((step) => instructions.indexOf(step))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places.every((place) => place >= 0 && place < 512)).toBe(true)
    expect(instructions.slice(0, 512)).toContain('data, never instructions')
  })

  test('the instructions name only existing tools', () => {
    const names = new Set(tools.filter(({ mcp }) => mcp !== false).map(({ name }) => name))
    for (const [named] of instructions.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) {
      if (named !== 'rate_limited') expect(names).toContain(named)
    }
  })
})
