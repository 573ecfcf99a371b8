import { kebabCase } from '../core/kebab-case.ts'
import { routePath, type Declaration, type Route } from '../core/tool.ts'
import { renderExample } from './arguments-of.ts'
import type { ClientCommand, CommandField } from './command-table.ts'
import { deriveName, shortNames } from './derive-name.ts'

type Json = Record<string, unknown>

/** The parts of the OpenAPI document about operations and schemas. */
interface ApiDocument {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Json>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Json
}

/** A text with at least this limit may be read from a file or stdin, characters. */
const longText = 2000

/**
 * True if a route has a command. A command uses a key, so it cannot call routes that accept only a browser session; and
 * `lectern upload` sends files.
 */
export function hasCommand({ credential, fileBody }: Route): boolean {
  return credential !== 'session' && fileBody === undefined
}

/** Derives the commands of all declarations that have one from their API description. */
export function deriveCommands(tools: readonly Declaration[], document: ApiDocument): ClientCommand[] {
  const commands = tools.flatMap((tool) =>
    tool.rest && hasCommand(tool.rest) ? [deriveCommand(tool, tool.rest, document)] : [],
  )
  const named = commands.map((command) => {
    const daily = shortNames.find(({ tool }) => tool === command.tool)
    return { ...command, ...daily, name: command.name }
  })
  const short = shortNames.map(
    (name) => ({ ...named.find(({ tool }) => tool === name.tool), ...name }) as ClientCommand,
  )
  return [...short, ...named]
}

function deriveCommand(tool: Declaration, route: Route, document: ApiDocument): ClientCommand {
  const path = routePath(route)
  const operation = document.paths[path]?.[route.method.toLowerCase()] as Json
  const parameters = ((operation['parameters'] ?? []) as Parameter[]).filter(({ name }) => !unusedHeaders.has(name))
  const fields = [
    ...parameters.map((parameter) => parameterField(parameter, { tool, route, document })),
    ...bodyFields(operation, document),
  ]
  const command: ClientCommand = {
    name: deriveName(tool, route),
    tool: tool.name,
    title: tool.title,
    description: tool.description,
    method: route.method,
    path,
    fields,
    positionals: positionalsOf(fields),
    ...(route.file ? { file: true } : {}),
  }
  if (fields.find(({ name }) => name === command.positionals.at(-1))?.kind === 'list') command.rest = 'list'
  const example = renderExample(command, exampleOf(operation, parameters, document))
  return example === '' ? command : { ...command, example }
}

/** Header fields for clients with a cache, and one that is also a field of the body. */
const unusedHeaders = new Set(['If-None-Match', 'Range', 'If-Match'])

const headerOptions: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'X-CK-Session': 'session', 'Idempotency-Key': 'idempotency-key' }),
)

function parameterField(
  parameter: Parameter,
  { tool, route, document }: { tool: Declaration; route: Route; document: ApiDocument },
): CommandField {
  const { name, required, description, schema } = parameter
  const field = describeField(name, { schema: { ...schema, ...(description ? { description } : {}) }, document })
  const own = route.legacy?.fieldNames?.[name] ?? name
  return {
    ...field,
    option: headerOptions.get(name) ?? kebabCase(own === 'id' ? name : own),
    in: parameter.in,
    ...(required ? { required: true } : {}),
    // The tool takes a list where the route takes one comma-separated text.
    ...(parameter.in === 'query' && isList(tool, own) ? { kind: 'list' } : {}),
  }
}

function isList({ input }: Declaration, name: string): boolean {
  const shape = 'shape' in input ? (input.shape as Record<string, { _zod: { def: Json } }>) : {}
  let definition = shape[name]?._zod.def
  for (;;) {
    if (definition?.['type'] === 'array') return true
    const inner = (definition?.['innerType'] ?? definition?.['in']) as { _zod: { def: Json } } | undefined
    if (!inner) return false
    definition = inner._zod.def
  }
}

/** Options for fields whose own name is taken by an option of all commands. */
const bodyOptions: ReadonlyMap<string, string> = new Map(Object.entries({ url: 'address' }))

function bodyFields(operation: Json, document: ApiDocument): CommandField[] {
  const schema = bodySchema(operation, document)
  const required = new Set((schema['required'] ?? []) as string[])
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>).map(([name, field]) => ({
    ...describeField(name, { schema: field, document }),
    ...(bodyOptions.has(name) && { option: bodyOptions.get(name) }),
    ...(required.has(name) ? { required: true } : {}),
    ...(isLong(name, branchesOf(field, document)) ? { long: true } : {}),
  }))
}

function bodySchema(operation: Json, document: ApiDocument): Json {
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as Record<string, Json> | undefined
  return resolve((content?.['application/json']?.['schema'] ?? {}) as Json, document)
}

function describeField(name: string, { schema: raw, document }: { schema: Json; document: ApiDocument }): CommandField {
  const schema = resolve(raw, document)
  const branches = branchesOf(schema, document)
  const types = new Set([schema, ...branches].flatMap((branch) => (branch['type'] ?? []) as string | string[]))
  const values = branches.flatMap((branch) => (branch['enum'] ?? []) as (string | null)[]).filter((one) => one !== null)
  const description = (raw['description'] ?? schema['description']) as string | undefined
  const kind = kindOf({ types, values, items: resolve((branches[0]?.['items'] ?? {}) as Json, document) })
  return {
    name,
    option: kebabCase(name),
    in: 'body',
    kind: kind === 'numbers' ? 'list' : kind,
    ...(kind === 'numbers' ? { numbers: true } : {}),
    ...(kind !== 'switch' && values.length > 0 ? { values } : {}),
    ...(types.has('null') ? { nullable: true } : {}),
    ...(description ? { description } : {}),
  }
}

function isLong(name: string, branches: readonly Json[]): boolean {
  // A URL is a single value in spite of its allowed length.
  if (name === 'url') return false
  const lengths = branches.filter(({ type }) => type === 'string').map(({ maxLength = 0 }) => maxLength as number)
  return lengths.some((length) => length >= longText || (length === 0 && name === 'content'))
}

/** The possible schemas of a field, with nested unions flattened. */
function branchesOf(raw: Json, document: ApiDocument): Json[] {
  const schema = resolve(raw, document)
  const branches = schema['anyOf'] as Json[] | undefined
  return branches ? branches.flatMap((branch) => branchesOf(branch, document)) : [schema]
}

function kindOf({ types, values, items }: { types: Set<string>; values: string[]; items: Json }) {
  if (types.has('boolean') || (values.length === 2 && values.includes('true') && values.includes('false')))
    return 'switch'
  if (types.has('object')) return 'json'
  if (types.has('array')) {
    if (items['type'] === 'string') return 'list'
    return items['type'] === 'integer' || items['type'] === 'number' ? 'numbers' : 'json'
  }
  if (types.has('string')) return 'text'
  return types.has('integer') || types.has('number') ? 'number' : 'json'
}

function resolve(schema: Json, document: ApiDocument): Json {
  const reference = schema['$ref'] as string | undefined
  if (reference === undefined) return schema
  return document.components['schemas']?.[reference.split('/').at(-1) ?? ''] as Json
}

/** The positional arguments: path values, then required ids, then the other required field if there is only one. */
function positionalsOf(fields: readonly CommandField[]): string[] {
  const required = fields.filter((field) => field.required && field.in !== 'header' && field.kind !== 'json')
  const inPath = required.filter((field) => field.in === 'path')
  const others = required.filter((field) => field.in !== 'path' && !field.long && field.kind !== 'switch')
  const ids = others.filter(({ name }) => /(?:^i|I)ds?$/.test(name))
  const rest = others.filter((field) => !ids.includes(field))
  const names = [...inPath, ...ids, ...(rest.length === 1 ? rest : [])]
  // A list takes all remaining words.
  return names.toSorted((a, b) => Number(a.kind === 'list') - Number(b.kind === 'list')).map(({ name }) => name)
}

function exampleOf(operation: Json, parameters: readonly Parameter[], document: ApiDocument): Record<string, unknown> {
  const recorded = (of: Json | undefined) => ((of?.['examples'] as Json | undefined)?.['recorded'] as Json)?.['value']
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as Record<string, Json> | undefined
  const known = new Set(Object.keys(bodySchema(operation, document)['properties'] ?? {}))
  const body = Object.entries((recorded(content?.['application/json']) ?? {}) as Json).filter(([name]) =>
    known.has(name),
  )
  const ofParameters = parameters
    .map((parameter) => [parameter.name, recorded(parameter as unknown as Json)] as const)
    .filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(ofParameters), ...Object.fromEntries(body) }
}
