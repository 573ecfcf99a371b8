import type { JsonSchemaType } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { beforeAll, describe, expect, test } from 'vitest'
import fieldDescriptions from '../../src/http/openapi/field-descriptions.json' with { type: 'json' }
import { routePath } from '../../src/core/tool.ts'
import { pascalCase } from '../../src/http/openapi/json-schema.ts'
import { httpErrorMappings } from '../../src/transport/refusals.ts'
import { tools } from '../../tools/index.ts'
import { send, type ToolResponse } from '../support/transports.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

interface Operation {
  operationId: string
  parameters: { in: string; name: string; required: boolean; schema: object }[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { content: { 'application/json': { schema: Schema } } }>
}
type Schema = JsonSchemaType & Record<string, unknown>
interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; securitySchemes: object }
}

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person
let document: Document

beforeAll(async () => {
  person = await server.createPerson()
  document = (await send(server, null, { method: 'GET', path: '/api/v1/openapi.json' })).body
})

const routes = tools.flatMap((tool) => (tool.rest ? [[tool.name, tool, tool.rest] as const] : []))

test('the document is OpenAPI 3.1 and names this server', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/)
  expect(document.servers).toEqual([{ url: server.baseUrl, description: expect.any(String) }])
})

test('the document describes every declared route, the upload of files, and no other', () => {
  const declared = routes.flatMap(([name, , rest]) => [
    `${rest.method} ${routePath(rest)} ${name}`,
    ...(rest.events ? [`GET ${routePath({ ...rest, ...rest.events })} ${name}_events`] : []),
  ])
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  )
  expect(described.sort()).toEqual([...declared, 'PUT /api/v1/upload/blob/{token} put_upload_file'].sort())
})

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target as string)
  expect(references.length).toBeGreaterThan(0)
  for (const reference of new Set(references)) {
    const target = reference
      .replace(/^#\//, '')
      .split('/')
      .reduce((node: unknown, key) => (node as Record<string, unknown> | undefined)?.[key], document)
    expect(target, reference).toBeDefined()
  }
})

/** Each field of a schema and of the objects in it, by its path. */
function fieldsOf(schema: Schema, path: string): [path: string, field: Schema][] {
  const own = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  return [
    ...own.flatMap(([name, field]) => [
      [`${path}.${name}`, field] as [string, Schema],
      ...fieldsOf(field, `${path}.${name}`),
    ]),
    ...[schema['items'], ...((schema['anyOf'] as Schema[] | undefined) ?? [])].flatMap((part) =>
      part === undefined ? [] : fieldsOf(part as Schema, path),
    ),
  ]
}

test('each field and each parameter has a description', () => {
  const silent = Object.entries(document.components.schemas)
    .flatMap(([name, schema]) => fieldsOf(schema, name))
    .filter(([, field]) => !JSON.stringify(field).includes('"$ref"') && !field['description'])
    .map(([path]) => path)
  const silentParameters = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter((parameter) => !('$ref' in parameter) && !('description' in parameter))
        .map(({ name }) => `${operationId} ${name}`),
    )
  expect([...silent, ...silentParameters]).toEqual([])
})

test('each field of a refusal has a description of its own', () => {
  const descriptionsIn = (name: string) =>
    fieldsOf(document.components.schemas[name] as Schema, name).map(([path, field]) => [path, field['description']])
  expect(descriptionsIn('ReadLimitExceededError')).toEqual(
    expect.arrayContaining([
      ['ReadLimitExceededError.used', 'How many reads of this month are used.'],
      ['ReadLimitExceededError.limit', 'How many reads the plan allows in a month.'],
      ['ReadLimitExceededError.tier', 'The plan of the account.'],
    ]),
  )
  expect(descriptionsIn('ConflictError')).toEqual(
    expect.arrayContaining([
      ['ConflictError.itemId', 'The id of the book.'],
      ['ConflictError.listingId', 'The id of the listing.'],
      ['ConflictError.currentVersion', 'The newest version of the book.'],
    ]),
  )
  expect(descriptionsIn('VersionConflictError')).toContainEqual([
    'VersionConflictError.expectedVersion',
    'The version that the caller had seen.',
  ])
})

test('a parameter can have a description that differs from that of a field of its name', () => {
  const parameters = document.paths['/api/v1/manuscripts']?.['get']?.parameters
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'status', description: 'Only manuscripts in this state.' }),
  )
})

test('every description of a field is used', () => {
  const names = new Set(
    [
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
        fieldsOf(schema, name).map(([path]) => [name, path.split('.').at(-1)].join('.')),
      ),
      ...Object.values(document.paths)
        .flatMap((operations) => Object.values(operations))
        .flatMap(({ operationId, parameters = [] }) =>
          parameters.map(({ name }) => `${pascalCase(operationId)}Request.${name}`),
        ),
    ].flatMap((path) => [path, path.split('.').at(-1)]),
  )
  expect(Object.keys(fieldDescriptions).filter((path) => !names.has(path))).toEqual([])
})

describe.for(routes)('%s', ([, tool, rest]) => {
  const operation = () => document.paths[routePath(rest)]?.[rest.method.toLowerCase()] as Operation

  test('the operation declares its path parameters and, if it has one, its body', () => {
    const inPath = operation().parameters.filter((parameter) => parameter.in === 'path')
    const names = [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(inPath.map(({ name }) => name)).toEqual(names)
    for (const parameter of inPath) expect(parameter.required).toBe(true)
    if (rest.method === 'GET') expect(operation().requestBody).toBeUndefined()
    const body = operation().requestBody
    if (rest.fileBody) return expect(Object.keys(body?.content ?? {})).toEqual(['application/octet-stream'])
    const schema = body && resolve(body.content['application/json'].schema)
    for (const name of names)
      expect(schema?.properties ?? {}).not.toHaveProperty(rest.legacy?.fieldNames?.[name ?? ''] ?? name ?? '')
    for (const field of (schema?.required ?? []) as string[]) expect(schema?.properties).toHaveProperty(field)
  })

  test('the operation names its scope and every refusal of its declaration, with its code', () => {
    expect(operation()).toMatchObject({ 'x-scope': tool.scope, 'x-rate-bucket': tool.rateBucket })
    const { responses } = operation()
    const given = operation().parameters.filter((parameter) => parameter.in !== 'header')
    const takesInput = given.length > 0 || (rest.method !== 'GET' && !rest.queryFields)
    const expected = rest.credential === 'none' ? ['503', 'default'] : ['401', '403', '503', 'default']
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected))
    if (!rest.legacy?.refusalBody && takesInput) expect(responses).toHaveProperty('400')
    if (rest.legacy?.refusalBody) return
    for (const code of tool.refusals ?? []) {
      const { status, bodyCode } = httpErrorMappings[code]
      expect(responses[status], code).toBeDefined()
      if (bodyCode === false || rest.legacy?.codesWithoutCode?.includes(code)) continue
      const named = resolve(responses[status]?.content['application/json'].schema as Schema)
      expect((named['properties'] as { code: { enum: string[] } }).code.enum).toContain(
        bodyCode === true ? code : bodyCode,
      )
    }
  })

  test('the schemas of the operation are valid JSON Schema', () => {
    for (const [status, { content }] of Object.entries(operation().responses)) {
      // The content of a file has media types and no schema. The statuses 304 and 416 have no content.
      if (status === '304' || status === '416') expect(content).toBeUndefined()
      else if (rest.file && status.startsWith('2')) expect(Object.keys(content)).toEqual(rest.file.contentTypes)
      else validator(content['application/json'].schema)
    }
    const body = operation().requestBody
    if (body && !rest.fileBody) validator(body.content['application/json'].schema)
  })
})

/** The schema that a reference names. */
function resolve(schema: Schema): Schema {
  const name = (schema as { $ref?: string }).$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components.schemas[name] as Schema)
}

/**
 * Returns the schema with every object closed. The document lets responses gain fields, but this server returns only
 * the fields that it describes.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return 'properties' in parts && 'type' in parts ? { additionalProperties: false, ...parts } : parts
}

function validator(schema: Schema) {
  const whole = closed({ ...schema, components: document.components }) as Schema
  return new AjvJsonSchemaValidator().getValidator(whole)
}

function expectDescribed(name: string, answer: ToolResponse): void {
  const [, , rest] = routes.find(([candidate]) => candidate === name) as (typeof routes)[0]
  const operation = document.paths[routePath(rest)]?.[rest.method.toLowerCase()] as Operation
  const response = operation.responses[answer.status] ?? operation.responses['default']
  const schema = response?.content['application/json'].schema as Schema
  const { valid, errorMessage } = validator(schema)(answer.body)
  expect({ status: answer.status, valid, errorMessage }).toMatchObject({ valid: true })
}

const call = (method: string, path: string, body?: unknown) =>
  send(server, person.key, { method, path: `/api/v1${path}`, body })

describe('responses match the document', () => {
  test('responses of a library with whole and truncated books match the document', async () => {
    const id = await makeBook(server, person, { content: '# A\n## B\n# C\n' })
    const large = await makeBook(server, person, { content: 'x'.repeat(990_000) })
    await seedBooks(server, person, { count: 2, book: () => ({ needsEnrichment: true }) })
    expectDescribed('whoami', await call('GET', '/auth/whoami'))
    expectDescribed('list_items', await call('GET', '/items'))
    expectDescribed('get_table_of_contents', await call('POST', '/items/batch/toc', { ids: [id, large, 'nope'] }))
    const batch = await call('POST', '/items/batch', { ids: [large, id, large, 'nope'], partial: true })
    expectDescribed('read_items', batch)
    const cut = await call('POST', '/items/batch', {
      ids: [await makeBook(server, person, { content: markdownPages(3) }), large, large],
    })
    expectDescribed('read_items', cut)
    expectDescribed('get_item_content', await call('GET', `/items/${id}/content`))
    expectDescribed('create_markdown_item', await call('POST', '/items/markdown', { title: 'T' }))
    expectDescribed('delete_items', await call('DELETE', '/items', { ids: [id, 'nope'] }))
  })

  test('error responses match the document', async () => {
    expectDescribed('create_markdown_item', await call('POST', '/items/markdown', {}))
    expectDescribed('get_item_content', await call('GET', '/items/nope/content'))
    expectDescribed('list_items', await call('GET', '/items?shelf=a+b'))
    const anonymous = await send(server, null, { method: 'GET', path: '/api/v1/auth/whoami' })
    expectDescribed('whoami', anonymous)
  })

  test('control: a different response does not match', async () => {
    const answer = await call('GET', '/auth/whoami')
    expect(() => expectDescribed('list_items', answer)).toThrow()
    expect(() => expectDescribed('whoami', { ...answer, body: { ...answer.body, secret: 1 } })).toThrow()
  })
})
