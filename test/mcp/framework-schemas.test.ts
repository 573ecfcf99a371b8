import { describe, expect, test } from 'vitest'
import { listTools } from '../../src/mcp/list-tools.ts'
import { tools } from '../../tools/index.ts'

/**
 * The schema features that the converters of agent frameworks keep without loss: openai-agents and LangChain (OpenAI
 * strict), pydantic-ai, google-genai, langchain-google-genai, the AI SDK. `test/frameworks` runs them.
 */
type Schema = Record<string, any>

interface Found {
  at: string
  schema: Schema
  /** Null if it is not an argument: entries of lists, alternatives. */
  required: boolean | null
}

function* walk(schema: Schema, at: string, required: boolean | null = null): Generator<Found> {
  yield { at, schema, required }
  for (const [name, property] of Object.entries<Schema>(schema['properties'] ?? {})) {
    yield* walk(property, `${at}.${name}`, (schema['required'] ?? []).includes(name))
  }
  if (schema['items']) yield* walk(schema['items'], `${at}[]`)
  for (const [index, option] of (schema['anyOf'] ?? []).entries()) yield* walk(option, `${at}|${index}`)
}

const schemas = listTools(tools).flatMap(({ name, inputSchema }) => [...walk(inputSchema, name)])
const whereNot = (isRight: (found: Found) => boolean) => schemas.filter((it) => !isRight(it)).map(({ at }) => at)

describe('the input schemas', () => {
  test('use only keywords that all converters support', () => {
    const known = ['type', 'properties', 'required', 'items', 'anyOf', 'enum', 'description', 'pattern']
    const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']
    const used = new Set(schemas.flatMap(({ schema }) => Object.keys(schema)))
    expect([...known, ...bounds]).toEqual(expect.arrayContaining([...used]))
  })

  test('have one type at each position', () => {
    expect(whereNot(({ schema }) => typeof schema['type'] === 'string' || Array.isArray(schema['anyOf']))).toEqual([])
  })

  test('declare the fields of every object inside an argument', () => {
    const inner = schemas.filter(({ at, schema }) => schema['type'] === 'object' && /[.[|]/.test(at))
    expect(inner.length).toBeGreaterThan(2)
    for (const { at, schema } of inner) expect(Object.keys(schema['properties'] ?? {}), at).not.toEqual([])
  })

  test('type the entries of every list', () => {
    expect(whereNot(({ schema }) => schema['type'] !== 'array' || typeof schema['items']?.type === 'string')).toEqual(
      [],
    )
  })

  test('have alternatives only as one schema or null, with every keyword inside', () => {
    for (const { at, schema } of schemas.filter((it) => it.schema['anyOf'])) {
      expect(Object.keys(schema), at).toEqual(['anyOf'])
      expect(schema['anyOf'], at).toEqual([expect.objectContaining({ type: expect.any(String) }), { type: 'null' }])
    }
  })

  test('allow only strings as enum values', () => {
    const enums = schemas.filter(({ schema }) => schema['enum'])
    expect(enums.length).toBeGreaterThan(5)
    for (const { schema } of enums) {
      expect(schema['type']).toBe('string')
      expect(schema['enum'].every((value: unknown) => typeof value === 'string')).toBe(true)
    }
  })

  test('give every optional argument a value that means "absent", because strict modes require all', () => {
    const optional = schemas.filter(({ required }) => required === false)
    expect(optional.length).toBeGreaterThan(80)
    const cannotBeLeftOut = optional.filter(({ schema }) => {
      if (schema['anyOf'] || /Default: \S+\.$/.test(schema['description'] ?? '')) return false
      return schema['type'] !== 'string' || schema['enum'] || schema['minLength'] || schema['pattern']
    })
    expect(cannotBeLeftOut.map(({ at }) => at)).toEqual([])
  })

  test('do not mention null for required arguments', () => {
    expect(whereNot(({ required, schema }) => required !== true || schema['anyOf'] === undefined)).toEqual([])
  })
})
