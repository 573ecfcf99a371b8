import type { JsonSchemaType } from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { tools } from '../../tools/index.ts'
import { describedRefusals, unseen } from '../docs/examples/refusals.ts'

interface Media {
  schema: Record<string, unknown>
  examples?: Record<string, { value: unknown }>
}
interface Operation {
  operationId: string
  parameters: { in: string; name: string; required: boolean; schema: object; examples?: Media['examples'] }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const baseUrl = 'https://books.example'
const document = openApiDocument({ tools, baseUrl, version: '1' })
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as Operation[]
const declared = operations.filter(({ operationId }) => tools.some(({ name }) => name === operationId))

const validator = new AjvJsonSchemaValidator()
const validators = new Map<string, ReturnType<AjvJsonSchemaValidator['getValidator']>>()

function problemsOf(schema: Record<string, unknown>, value: unknown): string | undefined {
  const key = JSON.stringify(schema)
  const known = validators.get(key)
  const check = known ?? validator.getValidator({ ...schema, components: document.components } as JsonSchemaType)
  validators.set(key, check)
  return check(value).errorMessage
}

const json = (of: { content?: Record<string, Media> } | undefined) => of?.content?.['application/json']

describe.for(declared.map((operation) => [operation.operationId, operation] as const))('%s', ([, operation]) => {
  const { parameters, requestBody, responses } = operation

  test('has an example of its request and of each success, which match its schemas', () => {
    const body = json(requestBody)
    if (body) expect(body.examples, 'request').toBeDefined()
    for (const parameter of parameters.filter(({ required }) => required))
      expect(parameter.examples, parameter.name).toBeDefined()
    for (const [status, response] of Object.entries(responses)) {
      const media = json(response)
      if (media && status.startsWith('2')) expect(media.examples, status).toBeDefined()
    }
    const described = [body, ...Object.values(responses).map(json), ...parameters]
    for (const { schema, examples = {} } of described.filter((media) => media !== undefined)) {
      for (const { value } of Object.values(examples))
        expect({ value, problems: problemsOf(schema as Record<string, unknown>, value) }).toMatchObject({
          problems: undefined,
        })
    }
  })

  test('has an example of every refusal', () => {
    for (const { tool, refusal } of describedRefusals()) {
      if (tool.name !== operation.operationId || unseen.has(`${tool.name} ${refusal.code}`)) continue
      const example = json(responses[refusal.status])?.examples?.[refusal.code]?.value
      expect(example, `${refusal.status} ${refusal.code}`).toMatchObject({ error: expect.stringMatching(/\w/) })
      if (refusal.bodyCode === null) expect(example).not.toHaveProperty('code')
      else expect(example).toHaveProperty('code', refusal.bodyCode)
    }
  })
})

test('a described refusal that has no example is still described', () => {
  const described = describedRefusals().map(({ tool, refusal }) => `${tool.name} ${refusal.code}`)
  for (const name of unseen.keys()) expect(described).toContain(name)
})

test('examples have URLs of this server, and are identical in every recording', () => {
  const text = JSON.stringify(operations)
  expect(text).toContain(`${baseUrl}/api/v1/upload/blob/`)
  expect(text).not.toMatch(/127\.0\.0\.1|lectern\.invalid|lectern_[0-9A-Za-z]{20,}/)
})
