import { firstExample, type ApiDocument, type DescribedParameter, type Schema } from './api-document.ts'
import type { Operation } from './read-reference.ts'
import { fieldsOf, formsOf } from './schema-words.ts'

interface CallOptions {
  document: ApiDocument
  baseUrl: string
}

/** The command that calls an operation with its example; the key is in the environment. */
export function curlOf(operation: Operation, { document, baseUrl }: CallOptions): string {
  const { route, parameters, body, credential, isStream, answers } = operation
  if (!route) return ''
  const values = new Map(parameters.map((parameter) => [parameter, exampleOf(operation, parameter, document)]))
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(String(parameter ? values.get(parameter) : name))
  })
  const query = [...values].filter(([parameter, value]) => parameter.in === 'query' && value !== undefined)
  const isFile = answers.some(({ contentType }) => contentType !== null && /epub|pdf|octet/.test(contentType))
  const inQuery = query.length > 0 && route.method === 'GET'
  const parts = [
    `curl${isStream ? ' -N' : ''}${inQuery ? ' -G' : ''}${method(route.method)} ${inQuery ? baseUrl + path : address(baseUrl + path, query)}`,
    ...credentials(credential, route.method, baseUrl),
    ...[...values]
      .filter(([parameter, value]) => parameter.in === 'header' && value !== undefined && parameter.required)
      .map(([{ name }, value]) => `-H ${quote(`${name}: ${String(value)}`)}`),
    ...(inQuery ? query.map(([{ name }, value]) => queryPart(name, value)) : []),
    ...(body ? bodyParts(body, exampleBody(operation, document)) : []),
    ...(isFile ? ['-OJ'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** The same call from an MCP client. */
export function mcpCallOf({ mcp }: Operation): object | null {
  return mcp && { method: 'tools/call', params: { name: mcp.name, arguments: mcp.example } }
}

function method(name: string): string {
  return name === 'GET' ? '' : ` -X ${name}`
}

function credentials(credential: Operation['credential'], methodName: string, baseUrl: string): string[] {
  if (credential === 'none') return []
  if (credential !== 'session') return ['-H "Authorization: Bearer $LECTERN_KEY"']
  const cookie = baseUrl.startsWith('https:') ? '__Host-lectern' : 'lectern'
  return [
    `-b "${cookie}=$LECTERN_SESSION"`,
    ...(methodName === 'GET' ? [] : ['-H "X-CSRF-Token: $LECTERN_CSRF_TOKEN"']),
  ]
}

type Query = [DescribedParameter, unknown][]

/** A URL, in quotes if it has a query, because shells interpret `?` and `&`. */
function address(url: string, query: Query): string {
  const pairs = query.map(([{ name }, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? url : `'${url}?${pairs.join('&')}'`
}

function queryPart(name: string, value: unknown): string {
  const text = String(value)
  return /^[\w.,-]*$/.test(text) ? `-d ${name}=${text}` : `--data-urlencode ${quote(`${name}=${text}`)}`
}

function bodyParts(body: NonNullable<Operation['body']>, example: unknown): string[] {
  if (body.contentType !== 'application/json') {
    return [
      `-H "Content-Type: ${body.contentType}"`,
      `--data-binary @book.${fileEndings.get(body.contentType) ?? 'md'}`,
    ]
  }
  return [
    '-H "Content-Type: application/json"',
    `-d ${quote(JSON.stringify(example, null, 2).replaceAll('\n', '\n  '))}`,
  ]
}

const fileEndings: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'application/pdf': 'pdf', 'application/epub+zip': 'epub' }),
)

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The value of a parameter in the example; undefined if it is omitted. */
function exampleOf(operation: Operation, parameter: DescribedParameter, document: ApiDocument): unknown {
  const { tool } = operation
  const recorded = firstExample(document, parameter)
  if (recorded !== undefined) return recorded
  const declared = tool?.example?.[tool.rest?.legacy?.fieldNames?.[parameter.name] ?? parameter.name]
  // A pagination cursor makes no sense in a first call, and recorded values are not mixed with declared ones.
  const isFitting = parameter.name !== 'cursor' && (parameter.required || !isRecorded(operation))
  if (declared !== undefined && isFitting) return declared
  return parameter.required ? sampleOf(document, parameter.schema ?? {}, parameter.name) : undefined
}

function isRecorded({ answers, body }: Operation): boolean {
  return body?.example !== undefined || answers.some(({ example }) => example !== undefined)
}

function exampleBody({ body, tool }: Operation, document: ApiDocument): unknown {
  if (!body) return undefined
  if (body.example !== undefined) return body.example
  const fields = fieldsOf(document, body.schema)
  const entries = fields.flatMap(({ name, schema, required }) => {
    const declared = tool?.example?.[name]
    if (declared !== undefined) return [[name, declared] as const]
    return required ? [[name, sampleOf(document, schema, name)] as const] : []
  })
  return Object.fromEntries(entries)
}

/** A valid value of a schema, used if no example was declared. */
function sampleOf(document: ApiDocument, schema: Schema, name: string): unknown {
  const [form = {}] = formsOf(document, schema)
  const given = form.examples?.[0] ?? form.default ?? form.const ?? form.enum?.[0]
  if (given !== undefined) return given
  const type = [form.type ?? 'object'].flat()[0]
  if (type === 'array') return [sampleOf(document, form.items ?? {}, name.replace(/s$/, ''))]
  if (type === 'integer' || type === 'number') return form.minimum && form.minimum > 0 ? form.minimum : 1
  if (type === 'boolean') return true
  if (type === 'string') return sampleText(form, name)
  const fields = fieldsOf(document, form).filter(({ required }) => required)
  return Object.fromEntries(fields.map((field) => [field.name, sampleOf(document, field.schema, field.name)]))
}

const texts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    email: 'reader@example.com',
    date: '2026-11-01',
    'date-time': '2026-11-01T12:00:00.000Z',
    uri: 'https://example.com/',
  }),
)

function sampleText({ format = '', pattern = '', minLength = 0 }: Schema, name: string): string {
  const known = texts.get(format) ?? texts.get(name)
  if (known !== undefined) return known
  if (/\\d/.test(pattern)) return '1'
  const id = /^(\w+)Ids?$/.exec(name)?.[1] ?? (name === 'id' ? 'the' : null)
  return (id === null ? name : `${id.toUpperCase()}ID`).padEnd(minLength, '-')
}
