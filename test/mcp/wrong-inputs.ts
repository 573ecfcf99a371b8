import type { ObjectSchema } from '../../src/mcp/input-schema.ts'

export interface WrongInput {
  what: string
  input: Record<string, unknown>
  /** The parameter path in refusals. */
  path: string
  /** Bounds and allowed values that the refusal must name. */
  allowed: string[]
}

type Schema = Record<string, any>
type Values = Record<string, any>

/** Invalid inputs for a schema: every parameter with every violation of it. */
export function wrongInputs(accepted: ObjectSchema, example: Values): WrongInput[] {
  return [...walk(accepted, { example, path: [], put: (whole) => whole as Values })]
}

interface Place {
  /** A valid value of this parameter. */
  example: any
  path: string[]
  /** Whether an empty string counts as omitted. */
  optional?: boolean
  /** The whole input with another value of this parameter. */
  put(value: unknown): Values
}

function* walk(schema: Schema, place: Place): Generator<WrongInput> {
  const { properties = {}, required = [], additionalProperties } = schema
  if (additionalProperties === false) {
    const path = [...place.path, 'zzz'].join('.')
    const input = place.put({ ...place.example, zzz: 1 })
    yield { what: `${path}: unknown field`, input, path, allowed: Object.keys(properties) }
  }
  for (const [name, property] of Object.entries<Schema>(properties)) {
    const inside: Place = {
      example: place.example[name],
      path: [...place.path, name],
      optional: !required.includes(name),
      put: (bad) => place.put({ ...place.example, [name]: bad }),
    }
    if (required.includes(name)) yield* wrong('missing', inside, [[undefined, []]])
    yield* value(property, inside)
  }
}

function* value(schema: Schema, place: Place): Generator<WrongInput> {
  const options: Schema[] = schema['anyOf'] ?? [schema]
  const shape = options.find(({ type }) => type !== 'null') ?? schema
  yield* wrong('wrong type', place, [[wrongType(shape), []]])
  yield* wrong('out of bounds', place, outOfBounds(shape, place.optional))
  if (shape['enum']) yield* wrong('unknown value', place, [['nope', shape['enum']]])
  if (shape['type'] === 'object' && shape['properties']) yield* walk(shape, place)
  if (shape['type'] !== 'array') return
  yield* value(shape['items'], {
    example: place.example?.[0],
    path: [...place.path, '0'],
    put: (item) => place.put([item]),
  })
}

function* wrong(how: string, { path, put }: Place, values: [unknown, string[]][]): Generator<WrongInput> {
  const named = path.join('.')
  for (const [bad, allowed] of values) yield { what: `${named}: ${how}`, input: put(bad), path: named, allowed }
}

function wrongType({ type }: Schema): unknown {
  return type === 'string' ? { a: 1 } : 'not this'
}

function outOfBounds(schema: Schema, optional = false): [unknown, string[]][] {
  const { maxLength, minLength, maxItems, minItems, maximum, minimum, pattern } = schema
  const list: [unknown, unknown, boolean][] = [
    ['x'.repeat((maxLength ?? 0) + 1), maxLength, maxLength !== undefined],
    ['', minLength, minLength === 1 && maxLength !== undefined && !optional],
    [Array((maxItems ?? 0) + 1).fill(fillerOf(schema['items'])), maxItems, maxItems !== undefined],
    [[], minItems, minItems === 1 && maxItems !== undefined],
    [(maximum ?? 0) + 1, maximum, maximum !== undefined],
    [(minimum ?? 0) - 1, minimum, minimum !== undefined],
    ['! : !', pattern, pattern !== undefined],
  ]
  return list.filter(([, , applies]) => applies).map(([bad, bound]) => [bad, [String(bound)]])
}

function fillerOf(items: Schema | undefined): unknown {
  if (items?.['type'] !== 'object') return 'x'
  return Object.fromEntries((items['required'] ?? []).map((name: string) => [name, name === 'page' ? 1 : 'x']))
}
