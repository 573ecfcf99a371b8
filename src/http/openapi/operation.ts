import { toolGroups } from '../../core/tool-groups.ts'
import { hasBody, type Declaration, type Route } from '../../core/tool.ts'
import { answerResponses } from './answers.ts'
import { named, requestSchema, type Components } from './components.ts'
import type { OperationExamples } from './examples.ts'
import { pascalCase, type JsonObject } from './json-schema.ts'
import { describeParameter, headerParameters } from './parameters.ts'
import { routeRefusals } from './refusal-codes.ts'
import { refusalResponses, unexpectedResponse } from './refusals.ts'

interface OperationContext {
  components: Components
  /** Examples recorded from a server. */
  examples: OperationExamples
}

/** Describes the operation of a declared route. */
export function describeOperation(
  tool: Declaration,
  route: Route,
  { components, examples }: OperationContext,
): JsonObject {
  const { parameters, body } = describeInput(tool, route, { components, examples })
  const refusals = routeRefusals(tool, route, { takesInput: parameters.length > 0 || hasBody(route) })
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    tags: [toolGroups[tool.group].title],
    'x-scope': tool.scope,
    'x-rate-bucket': tool.rateBucket,
    ...describeSecurity(route),
    parameters: [...parameters, ...headerParameters(tool, route)],
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...answerResponses(tool, route, { components, exampleOf: (status) => examples.answers?.[status] }),
      ...refusalResponses(refusals, {
        name: tool.name,
        components,
        exampleOf: ({ code, status }) => examples.refusals?.[`${status} ${code}`],
      }),
      default: unexpectedResponse,
    },
  }
}

interface DescribedInput {
  parameters: JsonObject[]
  body: JsonObject | null
}

function describeInput(tool: Declaration, route: Route, { components, examples }: OperationContext): DescribedInput {
  const schema = requestSchema(route.input ?? tool.input, components)
  const fields = (schema['properties'] ?? {}) as Record<string, JsonObject>
  const required = new Set((schema['required'] ?? []) as string[])
  const input = `${pascalCase(tool.name)}Request`
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const fieldOf = (name: string) => route.legacy?.fieldNames?.[name] ?? name
  const pathFields = new Set(names.map(fieldOf))
  const elsewhere = new Set([...pathFields, route.fileBody, ...Object.keys(route.headerFields ?? {})])
  const others = Object.keys(fields).filter((name) => !elsewhere.has(name))
  const parameters = names.map((name) =>
    describeParameter('path', name, {
      schema: fields[fieldOf(name)],
      required: true,
      example: examples.parameters?.[name],
      input,
    }),
  )
  if (hasBody(route)) {
    const body =
      others.length === 0 ? null : describeBody(schema, { tool, route, fields: others, components, examples })
    return { parameters, body }
  }
  const query = others.map((name) =>
    describeParameter('query', name, {
      schema: fields[name],
      required: required.has(name),
      example: examples.parameters?.[name],
      input,
    }),
  )
  const headers = Object.entries(route.headerFields ?? {}).map(([name, header]) =>
    describeParameter('header', header, { schema: fields[name], required: required.has(name), input }),
  )
  const body = route.fileBody === undefined ? null : describeFileBody(fields[route.fileBody])
  return { parameters: [...parameters, ...query, ...headers], body }
}

/** A request body that is a file of any type. */
function describeFileBody({ description }: JsonObject = {}): JsonObject {
  const schema = { type: 'string', format: 'binary' }
  return { description, required: true, content: { 'application/octet-stream': { schema } } }
}

interface BodyContext extends OperationContext {
  tool: Declaration
  route: Route
  fields: readonly string[]
}

function describeBody(input: JsonObject, { tool, route, fields, components, examples }: BodyContext): JsonObject {
  const { properties, required = [], additionalProperties, ...rest } = input
  const all = properties as JsonObject
  const requiredFields = (required as string[]).filter((name) => fields.includes(name))
  const schema = named(components, `${pascalCase(tool.name)}Request`, {
    ...rest,
    type: 'object',
    ...(requiredFields.length > 0 ? { required: requiredFields } : {}),
    properties: Object.fromEntries(fields.map((name) => [name, all[name]])),
    // Most routes ignore unknown fields, even if the tool refuses them.
    ...(route.rejectUnknownFields && additionalProperties === false ? { additionalProperties } : {}),
  })
  const example = examples.body === undefined ? {} : { examples: { recorded: { value: examples.body } } }
  return {
    // An empty body is an empty object.
    required: requiredFields.length > 0 || rest['if'] !== undefined,
    content: { 'application/json': { schema, ...example } },
  }
}

function describeSecurity({ credential, method }: Route): JsonObject {
  if (credential === 'none') return { security: [] }
  if (credential !== 'session') return {}
  return { security: [method === 'GET' ? { session: [] } : { session: [], csrf: [] }] }
}
