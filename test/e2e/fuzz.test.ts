import * as fc from 'fast-check'
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rateLimits, type RateBucket } from '../../src/accounts/rate-limiter.ts'
import { routePath, type Tool } from '../../src/core/tool.ts'
import { tools } from '../../tools/index.ts'
import { anyText } from '../support/any-text.ts'
import { rest, send, sendMcp, type ToolResponse } from '../support/transports.ts'
import { toolCases, hasTransport, type OwnedObjects } from '../support/tool-cases.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

/** The number of calls of each tool through each transport. */
const cases = Number(process.env['LECTERN_TEST_FUZZ_CASES'] ?? 100)
/** How many of them run at the same time. Reads that run together share their queries. */
const concurrencyOf = (tool: Tool) => (tool.annotations.readOnlyHint ? 64 : 16)

let server: TestServer

beforeAll(async () => {
  const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e9]))
  server = await startTestServer({ LECTERN_ROLE: 'web' }, { rateLimits: unlimited as Record<RateBucket, number> })
})
afterAll(() => server.close())

/** An account with one object of each kind. */
interface Owner {
  key: string
  things: OwnedObjects
}

async function newOwner(): Promise<Owner> {
  const owner = await server.createPerson()
  return { key: owner.key, things: await furnish(owner) }
}

async function furnish(owner: Person): Promise<OwnedObjects> {
  const book = await makeBook(server, owner, { title: 'A book', content: markdownPages(3) })
  const call = async (tool: string, input: Record<string, unknown>) =>
    (await rest.call(server, owner, tool, input)).body
  const made = {
    book,
    shelf: (await call('create_shelf', { name: 'Shelf' })).id,
    manuscript: (await call('create_manuscript', { title: 'Notes' })).manuscript.id,
    session: (await call('start_access_session', {})).sessionId,
    listing: (await call('publish_listing', { itemId: book })).listing.id,
    team: (await call('create_team', { name: 'Us' })).team.id,
  }
  for (const id of Object.values(made)) expect(id).toMatch(/./)
  return { ...made, invite: 'none', upload: { itemId: book, storageKey: 'none' }, job: 'none' }
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

/** Values that often cause defects, used in addition to random ones. */
const odd: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  'null',
  'true',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202e',
  '\u{e0041}',
  'ﬁ',
  'e\u0301',
  '\r\n',
  '💥'.repeat(70),
  '../../etc/passwd',
  '..%2f..',
  '%00',
  '%',
  'a/b',
  '.',
  '..',
  '$where',
  '$gt',
  'a.b',
  '__proto__',
  'constructor',
  '1-999999999',
  '3-1',
  '1,2,,3',
  '1@-5',
  '2026-13-45',
  '2026-02-30',
  '9999999999d',
  'Mars/Olympus',
  'x'.repeat(5000),
  {},
  [],
  { $gt: '' },
  { $ne: null },
  { $where: 'sleep(1)' },
  { length: 1e9 },
  [[]],
  [null],
  [{}],
  ['', ''],
  nested(60),
  Array.from({ length: 500 }, () => 'x'),
  Array.from({ length: 60 }, () => ({})),
  { a: nested(20) },
  { toJSON: 'x' },
  { constructor: { prototype: 1 } },
]

const anything = fc.oneof(fc.constantFrom(...odd), anyText(), fc.jsonValue({ maxDepth: 2 }))

/** Generates valid calls in which up to three fields are replaced or added. */
function inputsOf(tool: Tool, things: OwnedObjects): fc.Arbitrary<Record<string, unknown>> {
  const whole = { ...tool.example, ...toolCases[tool.name]?.input(things) }
  const schema = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as { properties?: object }
  const names = [...Object.keys(schema.properties ?? {}), 'zzz', 'constructor']
  const own = fc.constantFrom<unknown>(...Object.values(things), ...Object.values(whole))
  const field = fc.tuple(fc.constantFrom(...names), fc.oneof({ weight: 4, arbitrary: anything }, own))
  return fc.tuple(fc.subarray(Object.keys(whole)), fc.array(field, { maxLength: 3 })).map(([kept, changed]) => {
    // Most calls keep all fields, because a missing field would be refused before the others are checked.
    const fields = kept.length % 3 === 0 ? kept : Object.keys(whole)
    const input: Record<string, unknown> = {}
    for (const name of fields) input[name] = (whole as Record<string, unknown>)[name]
    for (const [name, value] of changed) input[name] = value
    return input
  })
}

async function overRest({ key }: Owner, tool: Tool, input: Record<string, unknown>): Promise<void> {
  const route = tool.rest
  if (!route) throw new Error(`${tool.name} has no route`)
  const left = { ...input }
  const path = routePath(route).replaceAll(/\{(\w+)\}/g, (_, part: string) => {
    const field = route.legacy?.fieldNames?.[part] ?? part
    const value = String(textOf(left[field])).toWellFormed()
    delete left[field]
    return value === '' || value === '.' || value === '..' ? 'x' : encodeURIComponent(value)
  })
  const given = Object.entries(left).map(([name, value]): [string, string] => [name, textOf(value)])
  const inQuery = route.method === 'GET' || route.queryFields !== undefined
  const query = inQuery ? `?${new URLSearchParams(given)}` : ''
  const answer = await send(server, key, {
    method: route.method,
    path: path + query,
    body: inQuery ? undefined : left,
  })
  if (answer.ok)
    return checkOutput(
      tool,
      route.legacy?.bodyField === undefined ? answer.body : { [route.legacy.bodyField]: answer.body },
      answer,
    )
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
  expect(answer.status, answer.text).toBeLessThan(500)
  expect(answer.body, answer.text).toMatchObject({ error: expect.stringMatching(/./), requestId: expect.any(String) })
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

async function overMcp({ key }: Owner, tool: Tool, input: Record<string, unknown>): Promise<void> {
  const params = { name: tool.name, arguments: input }
  const { body, text, status } = await sendMcp(server, key, { method: 'tools/call', params })
  expect(status, text).toBe(200)
  const { result } = body
  expect(result?.content?.[0]?.text, text).toMatch(/./)
  expect(result.content[0].text).not.toMatch(/^Internal error/)
  if (result.isError)
    expect(JSON.parse(result.content[1].text), text).toMatchObject({ code: expect.stringMatching(/./) })
  else if (result.structuredContent) expect(text).toContain('structuredContent')
}

/** Checks that the response has exactly the declared fields. A partial success has its own status. */
function checkOutput(tool: Tool, body: unknown, { text }: ToolResponse): void {
  const parsed = tool.output.safeParse(body)
  expect(parsed.error?.issues ?? [], `${tool.name}: ${text.slice(0, 500)}`).toEqual([])
  expect(body, tool.name).toEqual(parsed.data)
}

describe.for([
  ['rest', overRest],
  ['mcp', overMcp],
] as const)('any input over %s is answered or refused, and never causes a defect', ([transport, call]) => {
  const called = tools.filter(({ name }) => toolCases[name] && hasTransport(name, transport))
  test.for(called.map(({ name }) => name))('%s', { timeout: 120_000 }, async (name) => {
    const tool = called.find((each) => each.name === name) as Tool
    const owner = await newOwner()
    const seed = Number(process.env['LECTERN_TEST_SEED'] ?? 42)
    const inputs = fc.sample(inputsOf(tool, owner.things), { numRuns: cases, seed })
    const step = concurrencyOf(tool)
    for (let at = 0; at < inputs.length; at += step) {
      await Promise.all(
        inputs.slice(at, at + step).map(async (input) => {
          await call(owner, tool, input).catch((cause: unknown) => {
            throw new Error(`${name} with ${JSON.stringify(input).slice(0, 500)}`, { cause })
          })
        }),
      )
    }
  })
})
