import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { errorCatalogue } from '../../src/core/error-catalogue.ts'
import { acceptedSchema } from '../../src/mcp/input-schema.ts'
import { listTools } from '../../src/mcp/list-tools.ts'
import { tools } from '../../tools/index.ts'
import { sendMcp } from '../support/transports.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { wrongInputs } from './wrong-inputs.ts'

let server: TestServer
let person: Person

beforeAll(async () => {
  const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1_000_000]))
  server = await startTestServer({ LECTERN_ROLE: 'web' }, { rateLimits: unlimited as typeof rateLimits })
  person = await server.createPerson()
})
afterAll(() => server.close())

const offered = tools.filter(({ mcp }) => mcp !== false)
const listed = new Map(listTools(tools).map((tool) => [tool.name, tool]))

async function refusalOf(name: string, input: Record<string, unknown>): Promise<string> {
  const { body } = await sendMcp(server, person.key, { method: 'tools/call', params: { name, arguments: input } })
  expect(body.result?.isError, JSON.stringify(body)).toBe(true)
  return body.result.content[0].text
}

/** An invalid colour counts as absent (contract). */
const lenient = /^color: (wrong type|out of bounds)$/

describe.for(offered.map((tool) => [tool.name, tool] as const))('%s', ([name, tool]) => {
  test('the tool has a valid example with every field', () => {
    const fields = Object.keys(listed.get(name)?.inputSchema['properties'] ?? {}).filter(
      (it) => it !== 'idempotencyKey',
    )
    expect(Object.keys(tool.example ?? {}).sort()).toEqual(fields.sort())
    expect(tool.input.safeParse(tool.example)).toMatchObject({ success: true })
  })

  const example: Record<string, unknown> = {
    ...tool.example,
    ...(tool.idempotent ? { idempotencyKey: 'a-key' } : {}),
  }
  const wrong = wrongInputs(acceptedSchema(tool), example).filter(({ what }) => !lenient.test(what))

  test.for(wrong.map((it) => [it.what, it] as const))(
    'the refusal explains the valid input: %s',
    async ([, { input, path, allowed }]) => {
      const text = await refusalOf(name, input)
      expect(text).toMatch(/^[A-Z_]+: /)
      expect(text).toContain(path)
      for (const value of allowed) expect(text).toContain(value)
      expect(text).not.toMatch(/undefined|\[object|Invalid input/)
      const [, shown] = /Example: (\{.*\})$/.exec(text) ?? []
      expect(tool.input.safeParse(JSON.parse(shown ?? 'null'))).toMatchObject({ success: true })
      const [field = ''] = path.split('.')
      const call = JSON.parse(shown ?? '{}')
      if (Object.hasOwn(tool.example ?? {}, field)) expect(call).toHaveProperty([field])
      for (const other of Object.keys(call).filter((key) => key !== field))
        expect(tool.input.safeParse({ ...call, [other]: undefined }).success, other).toBe(false)
    },
  )
})

test.for(offered.filter((tool) => Object.hasOwn(tool.example ?? {}, 'content')))(
  '$name states how much content one call may have',
  async ({ name, example }) => {
    const text = await refusalOf(name, { ...example, content: 'x'.repeat(1_000_001) })
    expect(text).toMatch(/content exceeds 1000000 bytes per request/)
  },
)

describe('the error catalogue', () => {
  test.for(Object.entries(errorCatalogue))(
    '%s has a cause and a remedy, each a sentence',
    ([, { cause: why, remedy: next }]) => {
      expect(why).toMatch(/^[A-Z][^.]+\.$/)
      expect(next).toMatch(/^[A-Z][^.]+\.$/)
    },
  )

  test('only errors that waiting resolves are retryable', () => {
    const retryable = Object.entries(errorCatalogue).filter(([, lesson]) => lesson.retryable)
    expect(retryable.map(([code]) => code).sort()).toEqual(['RATE_LIMITED', 'TRANSIENT_CONFLICT', 'UNAVAILABLE'])
  })

  test('every refusal has its remedy from the catalogue', async () => {
    const params = { name: 'get_shelf', arguments: { shelf: 'nope' } }
    const { body } = await sendMcp(server, person.key, { method: 'tools/call', params })
    const { remedy: next, retryable } = errorCatalogue.SHELF_NOT_FOUND
    expect(JSON.parse(body.result.content[1].text)).toMatchObject({ code: 'SHELF_NOT_FOUND', next, retryable })
  })
})
