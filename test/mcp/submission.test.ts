import { describe, expect, test } from 'vitest'
import { hintTable, buildSubmission } from '../../src/admin/build-submission.ts'
import { tools } from '../../tools/index.ts'

const offered = tools.filter(({ mcp }) => mcp !== false)
const submission = buildSubmission(tools)
const sentence = /^[A-Z][^.]+(\.|: [^.]+\.|; [^.]+\.)$/

describe('the submission file', () => {
  test.for(offered.map((tool) => [tool.name, tool] as const))(
    'the submission has the declared hints of %s with a sentence for each',
    ([name, { annotations, justification: because }]) => {
      const { readOnlyHint, openWorldHint, destructiveHint } = annotations
      const entry = submission.tools[name]
      expect(entry?.annotations).toEqual({ readOnlyHint, openWorldHint, destructiveHint })
      for (const reason of Object.values(entry?.justifications ?? {})) expect(reason).toMatch(sentence)
      if (readOnlyHint) return
      expect(because?.effect, 'what a call changes').toMatch(sentence)
      expect(because?.repeat, 'what a repeat does').toMatch(sentence)
      expect(entry?.justifications.read_only_justification).toBe(because?.effect)
    },
  )

  test('the submission keeps the length limits of the form', () => {
    const { app_info, test_cases, negative_test_cases } = submission
    expect(app_info.subtitle.length).toBeLessThanOrEqual(30)
    expect(test_cases.length).toBeLessThanOrEqual(5)
    expect(negative_test_cases.length).toBeLessThanOrEqual(3)
    expect(Object.keys(submission.tools)).toEqual(offered.map(({ name }) => name))
  })

  test('the test prompts name no tool and expect existing tools', () => {
    const names = new Set(offered.map(({ name }) => name))
    for (const { user_prompt, tools_triggered } of submission.test_cases) {
      for (const name of tools_triggered.split(', ')) expect(names).toContain(name)
      for (const name of names) if (name.includes('_')) expect(user_prompt).not.toContain(name)
    }
    expect(submission.negative_test_cases.map(({ tools_triggered }) => tools_triggered)).toEqual([null, null, null])
  })
})

test('the hint table has a row with four hints for every tool', () => {
  const rows = hintTable(tools).split('\n').slice(2)
  expect(rows).toHaveLength(offered.length)
  for (const row of rows) expect(row).toMatch(/^\| `\w+` (\| (yes|no): [^|]+\. ){4}\|$/)
})
