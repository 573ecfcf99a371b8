import { tools } from '../../../tools/index.ts'
import { httpErrorMappings } from '../../../src/transport/refusals.ts'
import type { ErrorCode } from '../../../src/core/errors.ts'
import type { Declaration, Route } from '../../../src/core/tool.ts'
import type { OperationExamples } from '../../../src/http/openapi/examples.ts'
import { send, toRequest, type RawRequest, type ToolResponse } from '../../support/transports.ts'
import type { TestServer } from '../../support/server.ts'
import type { Normalizer } from './normalize.ts'

/** The caller: a key, or the header fields of a browser session. */
export interface Caller {
  key: string | null
  headers?: Record<string, string>
}

export interface Recorder {
  /**
   * Calls a route, records request and response, and returns the body of the response. Throws if the call is refused.
   */
  play(caller: Caller, name: string, input?: Record<string, unknown>): Promise<any>
  /** Calls a route that must refuse with this code, and records the refusal. */
  refuse(code: ErrorCode, caller: Caller, request: RawRequest & { name: string }): Promise<void>
  /** Adds the body of a refusal that was not returned by a call. */
  addRefusal(name: string, refusal: { code: ErrorCode; status: number }, body: unknown): void
  /** Returns whether a refusal is recorded already. */
  hasRefusal(name: string, code: ErrorCode): boolean
  /** A request as `play` recorded it for a route. */
  requestOf(name: string): RawRequest
  examples: Record<string, OperationExamples>
}

/** Records calls of a server's routes as examples, normalised. */
export function createRecorder(server: TestServer, normalizer: Normalizer): Recorder {
  const examples: Record<string, OperationExamples> = {}
  const requests = new Map<string, RawRequest>()
  const entryOf = (name: string) => (examples[name] ??= {})
  return {
    examples,
    async play({ key, headers }, name, input = {}) {
      const request = toRequest(name, input, { ...headers })
      const answer = await send(server, key, request)
      if (!answer.ok) throw new Error(`${name} was refused with ${answer.status}: ${answer.text}`)
      const entry = entryOf(name)
      if (entry.answers?.[answer.status] !== undefined) return answer.body
      const { rest } = declarationOf(name)
      if (!requests.has(name)) {
        requests.set(name, request)
        Object.assign(entry, normalizer.stable(describeRequest(rest, { input, body: request.body })))
      }
      if (!rest.file) entry.answers = { ...entry.answers, [answer.status]: normalizer.stable(answer.body) }
      return answer.body
    },
    async refuse(code, { key, headers }, { name, ...request }) {
      const answer = await send(server, key, { ...request, headers: { ...request.headers, ...headers } })
      const expected = statusOf(code, request)
      if (answer.status !== expected) throw new Error(describeMismatch({ name, code, expected, answer }))
      const entry = entryOf(name)
      entry.refusals = { ...entry.refusals, [`${expected} ${code}`]: normalizer.stable(answer.body) }
    },
    addRefusal(name, { code, status }, body) {
      const entry = entryOf(name)
      entry.refusals = { ...entry.refusals, [`${status} ${code}`]: normalizer.stable(body) }
    },
    hasRefusal: (name, code) => Object.keys(examples[name]?.refusals ?? {}).some((key) => key.endsWith(` ${code}`)),
    requestOf(name) {
      const request = requests.get(name)
      if (!request) throw new Error(`${name} has not been played`)
      return request
    },
  }
}

export function declarationOf(name: string): Declaration & { rest: Route } {
  const tool: Declaration | undefined = tools.find((candidate) => candidate.name === name)
  if (!tool?.rest) throw new Error(`${name} has no route`)
  return { ...tool, rest: tool.rest }
}

function statusOf(code: ErrorCode, { headers = {} }: Omit<RawRequest, 'path' | 'method'>): number {
  return code === 'VERSION_CONFLICT' && headers['If-Match'] ? 412 : httpErrorMappings[code].status
}

function describeRequest(
  route: Route,
  { input, body }: { input: Record<string, unknown>; body: unknown },
): OperationExamples {
  const inBody = new Set(Object.keys(body ?? {}))
  const fieldNames = Object.entries(route.legacy?.fieldNames ?? {})
  const parameters = Object.entries(input)
    .filter(([field]) => !inBody.has(field))
    .map(([field, value]) => [fieldNames.find(([, named]) => named === field)?.[0] ?? field, value])
  return {
    ...(parameters.length > 0 ? { parameters: Object.fromEntries(parameters) } : {}),
    ...(inBody.size > 0 ? { body } : {}),
  }
}

function describeMismatch(of: { name: string; code: string; expected: number; answer: ToolResponse }): string {
  const { name, code, expected, answer } = of
  return `${name} was to refuse with ${expected} ${code} and answered ${answer.status}: ${answer.text.slice(0, 300)}`
}
