import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { listTools } from '../../src/mcp/list-tools.ts'
import { tools } from '../../tools/index.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { findLosses, meaningOf, type Schema } from './meaning.ts'

/** A Python with the packages of `requirements.txt`, one with `requirements-mcp2.txt`, a folder with the AI SDK. */
const {
  LECTERN_TEST_PYTHON_FRAMEWORKS: python,
  LECTERN_TEST_PYTHON_MCP2: pythonWithMcp2,
  LECTERN_TEST_AI_SDK: aiSdkFolder,
} = process.env

const scriptAt = (name: string) => new URL(name, import.meta.url).pathname
const server = useTestServer({ LECTERN_ROLE: 'web' })
const mcpUrl = () => `${server.baseUrl}/api/v1/mcp`

async function runScript(program: string, args: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 64 * 1024 * 1024, timeout: 240_000 })
  return JSON.parse(stdout)
}

interface Conversion {
  tools: Record<string, { parameters: Schema; strict?: boolean }>
  failure: string | null
  remarks: string[]
}

const listed = listTools(tools)
const withoutArguments = listed.filter(({ inputSchema }) => Object.keys(inputSchema['properties'] ?? {}).length === 0)

/** Checks that a framework passes every tool to the model completely and without a warning. */
function expectLossless(name: string, { tools: shown, failure, remarks }: Conversion): void {
  expect(failure).toBeNull()
  expect(Object.keys(shown).sort()).toEqual(listed.map((tool) => tool.name).sort())
  const losses = listed.flatMap((tool) =>
    findLosses(meaningOf(tool.inputSchema), meaningOf(shown[tool.name]!.parameters), tool.name),
  )
  expect(losses).toEqual([])
  const notStrict = listed.filter((tool) => name.endsWith(' strict') && !shown[tool.name]!.strict)
  // In strict mode it accepts an object without fields only with `additionalProperties: false`, which google-genai
  // refuses.
  const excepted = name === 'openai-agents strict' ? withoutArguments : []
  expect(notStrict.map((tool) => tool.name)).toEqual(excepted.map((tool) => tool.name))
  expect(remarks).toEqual(
    excepted.length > 0 ? [expect.stringMatching(/^openai\.agents: Error converting MCP schema to strict mode/)] : [],
  )
}

const pythonConverters = [
  'openai-agents strict',
  'openai-agents',
  'langchain-openai strict',
  'langchain-openai',
  'langchain-anthropic',
  'langchain-google-genai',
  'pydantic-ai openai strict',
  'pydantic-ai anthropic strict',
  'pydantic-ai google',
  'google-genai',
]

describe.skipIf(!python)('frameworks in Python (set LECTERN_TEST_PYTHON_FRAMEWORKS)', () => {
  let conversions: Record<string, Conversion>
  beforeAll(async () => {
    const { key } = await server.createPerson()
    conversions = await runScript(python as string, [scriptAt('convert.py'), mcpUrl(), key])
  }, 300_000)

  test.for(pythonConverters)('%s converts all tools without loss', (name) => {
    expectLossless(name, conversions[name] as Conversion)
  })

  test('every converter is covered', () => {
    expect(Object.keys(conversions)).toEqual(pythonConverters)
  })
})

const aiSdkProviders = ['ai-sdk openai', 'ai-sdk anthropic', 'ai-sdk google']

describe.skipIf(!aiSdkFolder)('the AI SDK (set LECTERN_TEST_AI_SDK)', () => {
  let conversions: Record<string, Conversion>
  beforeAll(async () => {
    const { key } = await server.createPerson()
    const args = [scriptAt('convert-ai-sdk.ts'), aiSdkFolder as string, mcpUrl(), key]
    conversions = await runScript(process.execPath, args)
  }, 300_000)

  test.for(aiSdkProviders)('%s gets all tools without loss', (name) => {
    expectLossless(name, conversions[name] as Conversion)
  })
})

describe('sessions of SDKs in Python', () => {
  interface Session {
    calls: { isError: boolean; text: string }[]
    wrongKey: string
  }

  const environments: [string, string | undefined, number, RegExp][] = [
    // These clients report only the status of a 401.
    ['mcp 1 and fastmcp (set LECTERN_TEST_PYTHON_FRAMEWORKS)', python, 2, /401 Unauthorized/],
    ['mcp 2 (set LECTERN_TEST_PYTHON_MCP2)', pythonWithMcp2, 3, /^MCPError: Invalid API key format$/],
  ]

  for (const [name, program, clients, words] of environments) {
    test.skipIf(!program)(
      `a session of ${name} continues after calls that the key may not make`,
      async () => {
        const { key, id } = await server.createPerson({ scopes: ['library:read'] })
        const args = [scriptAt('session.py'), mcpUrl(), key, 'lectern_wrong']
        const sessions: Record<string, Session> = await runScript(program as string, args)
        expect(Object.keys(sessions)).toHaveLength(clients)
        for (const { calls, wrongKey } of Object.values(sessions)) {
          expect(calls).toEqual([
            { isError: false, text: expect.stringContaining(id) },
            {
              isError: true,
              text: expect.stringMatching(/^insufficient_scope: create_shelf needs .*library:write.*\/keys/),
            },
            { isError: false, text: expect.stringContaining(id) },
            { isError: true, text: expect.stringMatching(/^insufficient_scope: browse_marketplace .*\/keys/) },
            { isError: false, text: expect.stringContaining('"items":[') },
          ])
          expect(wrongKey).toMatch(words)
        }
      },
      120_000,
    )
  }
})

test('control: the comparison detects what a conversion loses', () => {
  const schema = {
    type: 'object',
    properties: {
      limit: { anyOf: [{ type: 'integer', description: 'How many.' }, { type: 'null' }] },
      sort: { type: 'string', enum: ['a', 'b'] },
      items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    },
    required: ['items'],
  }
  const losses = (changed: Schema) => findLosses(meaningOf(schema), meaningOf({ ...schema, ...changed }))
  const withProperty = (name: string, property: Schema | undefined) =>
    losses({ properties: JSON.parse(JSON.stringify({ ...schema.properties, [name]: property })) })
  expect(losses({})).toEqual([])
  expect(losses({ required: ['items', 'limit', 'sort'] })).toEqual([])
  expect(losses({ required: ['limit'] })).toEqual([': what is required'])
  expect(withProperty('limit', undefined)).toEqual(['.limit: the argument'])
  expect(withProperty('limit', { type: 'integer', description: 'How many.' })).toEqual(['.limit: null'])
  expect(withProperty('limit', { type: 'INTEGER', nullable: true })).toEqual(['.limit: the description'])
  expect(withProperty('limit', { type: 'STRING', nullable: true, description: 'How many. {minimum: 1}' })).toEqual([
    '.limit: the type integer became string',
  ])
  expect(withProperty('sort', { type: 'string' })).toEqual(['.sort: the values'])
  expect(withProperty('items', { type: 'array' })).toEqual(['.items: the entries'])
  expect(() => meaningOf({ type: ['string', 'null'] })).toThrow(/a list of types/)
})
