import { matchesPattern } from './match-pattern.ts'
import type { CallPattern, Task } from './task.ts'
import type { TracedCall, TracedTurn } from './trace.ts'

/** One check and its failure. */
export interface Check {
  kind: 'finished' | 'calls' | 'forbidden' | 'claims' | 'citations' | 'answer' | 'cost' | 'replay'
  description: string
  ok: boolean
}

interface PositionedCall {
  call: TracedCall
  turn: number
  /** Calls of one round have the same index, so that none of them counts as later. */
  roundIndex: number
}

/** Whether a call matches; `refused` says whether it failed. */
export function matchesCall(call: TracedCall, { tool, arguments: args, refusalText: refused }: CallPattern): boolean {
  return (
    isCallOf(call, { tool, arguments: args }) &&
    (refused === undefined ? !call.result.isError : isRefusedWith(call, refused))
  )
}

function isCallOf(call: TracedCall, { tool, arguments: args }: Pick<CallPattern, 'tool' | 'arguments'>): boolean {
  const named = typeof tool === 'string' ? call.tool === tool : tool.includes(call.tool)
  return named && (args === undefined || matchesPattern(call.arguments, args))
}

function isRefusedWith({ result }: TracedCall, text: RegExp): boolean {
  return result.isError === true && result.content.some((block) => typeof block === 'string' && text.test(block))
}

/** Checks that every expected step was made after the steps that it requires. */
export function checkCalls({ expectedSteps: expects }: Task, turns: readonly TracedTurn[]): Check[] {
  const calls = positionCalls(turns)
  const firstRoundOf = new Map<string, number>()
  const checks: Check[] = []
  for (const { name: step, anyOf: any, after = [] } of expects) {
    const afterRound = Math.max(-1, ...after.map((name) => firstRoundOf.get(name) ?? Infinity))
    const matching = calls.filter(({ call, turn }) =>
      any.some((each) => isInTurn(each, turn) && matchesCall(call, each)),
    )
    const roundIndex = matching.find((each) => each.roundIndex > afterRound)?.roundIndex
    firstRoundOf.set(step, roundIndex ?? Infinity)
    const isTooEarly = roundIndex === undefined && matching.length > 0
    checks.push({
      kind: 'calls',
      description: isTooEarly ? `${step}: only before ${after.join(', ')}` : step,
      ok: roundIndex !== undefined,
    })
  }
  return checks
}

/** Checks that no forbidden call was made or tried. */
export function checkForbidden({ forbiddenCalls: forbids = [] }: Task, turns: readonly TracedTurn[]): Check[] {
  const calls = positionCalls(turns)
  return forbids.map(({ atMost = 0, ...pattern }) => {
    const made = calls.filter(({ call, turn }) => isInTurn(pattern, turn) && isCallOf(call, pattern))
    const names = made.map(({ call }) => `${call.tool} ${JSON.stringify(call.arguments).slice(0, 120)}`)
    const description = `at most ${atMost} of ${[pattern.tool].flat().join(', ')}`
    return {
      kind: 'forbidden',
      description: names.length > atMost ? `${description}; made: ${names.join('; ')}` : description,
      ok: names.length <= atMost,
    }
  })
}

function isInTurn({ turn }: Pick<CallPattern, 'turn'>, at: number): boolean {
  return turn === undefined || turn === at
}

function positionCalls(turns: readonly TracedTurn[]): PositionedCall[] {
  let roundIndex = 0
  return turns.flatMap(({ rounds }, turn) =>
    rounds.flatMap((round) => {
      roundIndex++
      return round.map((call) => ({ call, turn, roundIndex }))
    }),
  )
}
