import { fits } from './match-pattern.ts'
import type { CallPattern, Task } from './task.ts'
import type { TracedCall, TracedTurn } from './trace.ts'

/** One thing that was looked at, and what was wrong with it. */
export interface Check {
  kind: 'finished' | 'calls' | 'forbidden' | 'claims' | 'citations' | 'answer' | 'cost' | 'replay'
  what: string
  ok: boolean
}

interface Placed {
  call: TracedCall
  turn: number
  /** Calls of one round have the same place: none of them is behind another. */
  place: number
}

/** Whether a call is of this kind; `refused` says whether it failed. */
export function matches(call: TracedCall, { tool, with: args, refused }: CallPattern): boolean {
  return isOf(call, { tool, with: args }) && (refused === undefined ? !call.result.isError : refusedWith(call, refused))
}

function isOf(call: TracedCall, { tool, with: args }: Pick<CallPattern, 'tool' | 'with'>): boolean {
  const named = typeof tool === 'string' ? call.tool === tool : tool.includes(call.tool)
  return named && (args === undefined || fits(call.arguments, args))
}

function refusedWith({ result }: TracedCall, text: RegExp): boolean {
  return result.isError === true && result.content.some((block) => typeof block === 'string' && text.test(block))
}

/** Whether every expected step was made behind the steps that it needs. */
export function checkCalls({ expects }: Task, turns: readonly TracedTurn[]): Check[] {
  const calls = placed(turns)
  const first = new Map<string, number>()
  const checks: Check[] = []
  for (const { step, any, after = [] } of expects) {
    const from = Math.max(-1, ...after.map((name) => first.get(name) ?? Infinity))
    const fitting = calls.filter(({ call, turn }) => any.some((each) => onTurn(each, turn) && matches(call, each)))
    const place = fitting.find((each) => each.place > from)?.place
    first.set(step, place ?? Infinity)
    const early = place === undefined && fitting.length > 0
    checks.push({
      kind: 'calls',
      what: early ? `${step}: only before ${after.join(', ')}` : step,
      ok: place !== undefined,
    })
  }
  return checks
}

/** Whether no forbidden call was made or tried. */
export function checkForbidden({ forbids = [] }: Task, turns: readonly TracedTurn[]): Check[] {
  const calls = placed(turns)
  return forbids.map(({ atMost = 0, ...pattern }) => {
    const made = calls.filter(({ call, turn }) => onTurn(pattern, turn) && isOf(call, pattern))
    const names = made.map(({ call }) => `${call.tool} ${JSON.stringify(call.arguments).slice(0, 120)}`)
    const what = `at most ${atMost} of ${[pattern.tool].flat().join(', ')}`
    return {
      kind: 'forbidden',
      what: names.length > atMost ? `${what}; made: ${names.join('; ')}` : what,
      ok: names.length <= atMost,
    }
  })
}

function onTurn({ turn }: Pick<CallPattern, 'turn'>, at: number): boolean {
  return turn === undefined || turn === at
}

function placed(turns: readonly TracedTurn[]): Placed[] {
  let place = 0
  return turns.flatMap(({ rounds }, turn) =>
    rounds.flatMap((round) => {
      place++
      return round.map((call) => ({ call, turn, place }))
    }),
  )
}
