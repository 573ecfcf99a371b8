import { checkCalls, checkForbidden, type Check } from './score-calls.ts'
import { plainQuotes } from './citations.ts'
import { checkCitations, checkClaims } from './score-answer.ts'
import type { Run } from './run-task.ts'
import type { Task } from './task.ts'

export interface Score {
  passed: boolean
  checks: Check[]
}

/** Scores a run: the calls, the claims with their citations, forbidden content, and the cost. */
export function score(task: Task, run: Run, extraChecks: readonly Check[] = []): Score {
  const { turns, problem } = run
  const finished = problem === undefined && turns.length === task.userTurns.length
  const checks: Check[] = [
    { kind: 'finished', description: problem ?? `${turns.length} of ${task.userTurns.length} turns`, ok: finished },
    ...checkCalls(task, turns),
    ...checkForbidden(task, turns),
    ...checkClaims(task, run),
    ...checkCitations(task, run),
    ...checkAnswers(task, run),
    ...checkCost(task, run),
    ...extraChecks,
  ]
  return { passed: checks.every(({ ok }) => ok), checks }
}

function checkAnswers(
  { answerPatterns: answers = [], forbiddenTexts: never = [], relayedRefusal: relays }: Task,
  { turns }: Run,
): Check[] {
  const last = turns.length - 1
  const expectedChecks = answers.map(({ matches, turn = last }): Check => ({
    kind: 'answer',
    description: `turn ${turn + 1} says ${matches}`,
    ok: matches.test(plainQuotes(turns[turn]?.answer ?? '')),
  }))
  const forbiddenChecks = never.map((words): Check => ({
    kind: 'answer',
    description: `never says ${words}`,
    ok: turns.every(({ answer }) => !words.test(plainQuotes(answer))),
  }))
  return [...expectedChecks, ...forbiddenChecks, ...(relays === undefined ? [] : [checkRelay(relays, turns)])]
}

/** Checks that the answer contains the refusal that begins with these words verbatim, except for line breaks. */
function checkRelay(opening: string, turns: Run['turns']): Check {
  const results = turns.flatMap(({ rounds }) => rounds.flat().flatMap(({ result }) => result.content))
  const refusal = results.flatMap((block) => linesWithPrefix(block, opening))[0]
  const answers = turns.map(({ answer }) => normalizeForComparison(answer))
  const ok = refusal !== undefined && answers.some((answer) => answer.includes(normalizeForComparison(refusal)))
  return {
    kind: 'answer',
    description: refusal === undefined ? `nothing began with ${opening}` : `relays ${refusal}`,
    ok,
  }
}

/** Returns a text that begins with the words, or the line of a longer text that does. */
function linesWithPrefix(block: unknown, opening: string): string[] {
  if (typeof block !== 'string') return []
  return block.split('\n').filter((line) => line.startsWith(opening))
}

/** Removes the numbers of times: results have none, answers do. */
function normalizeForComparison(text: string): string {
  return text
    .replaceAll(/\{\{time:\d+\}\}/g, '{{time}}')
    .replaceAll(/[*_>`]/g, '')
    .replaceAll(/\s+/g, ' ')
}

function checkCost({ limits }: Task, { turns, tokens, reads }: Run): Check[] {
  const calls = turns.flatMap(({ rounds }) => rounds.flat()).length
  const spent = { calls, tokens, reads }
  return (Object.keys(limits) as (keyof typeof limits)[]).map((unit) => ({
    kind: 'cost',
    description: `${spent[unit]} ${unit} of ${limits[unit]}`,
    ok: spent[unit] <= limits[unit],
  }))
}
