import { toolGroups } from '../../core/tool-groups.ts'
import { routePath, type Declaration } from '../../core/tool.ts'
import { describeEventStream, describeFileUpload, storedFileSchema } from './undeclared-operations.ts'
import { answerSchema, type Components } from './components.ts'
import { describeFields } from './describe-fields.ts'
import { loadExamples, type OperationExamples } from './examples.ts'
import type { JsonObject } from './json-schema.ts'
import { describeOperation } from './operation.ts'
import { responseHeaderComponents } from './parameters.ts'
import { errorSchema } from './refusals.ts'
import { securitySchemes } from './security-schemes.ts'

interface DocumentOptions {
  tools: readonly Declaration[]
  baseUrl: string
  version: string
}

/** An OpenAPI 3.1 document; operations by path and lower-case method. */
export interface OpenApiDocument {
  openapi: string
  info: JsonObject
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  security: JsonObject[]
  paths: Record<string, Record<string, JsonObject>>
  components: Record<string, JsonObject>
}

/** The OpenAPI 3.1 description of every declared route, with recorded examples. */
export function openApiDocument({ tools, baseUrl, version }: DocumentOptions): OpenApiDocument {
  const components: Components = { schemas: { Error: errorSchema, StoredFile: storedFileSchema } }
  const paths = describePaths(tools, { components, examples: loadExamples(baseUrl) })
  describeFields(components)
  const used = new Set(tools.filter(({ rest }) => rest).map(({ group }) => group))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lectern',
      version,
      description:
        'A library of books that people and agents read. Every call carries an API key as `Authorization: Bearer`, unless its ' +
        `operation says otherwise. The reference for people is at ${baseUrl}/docs.`,
      contact: { name: 'Administrators of this server', url: `${baseUrl}/docs` },
    },
    servers: [{ url: baseUrl, description: 'This server.' }],
    tags: Object.entries(toolGroups).flatMap(([group, { title: name, description }]) =>
      used.has(group as keyof typeof toolGroups) ? [{ name, description }] : [],
    ),
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes,
      headers: responseHeaderComponents,
      schemas: Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

function describePaths(
  tools: readonly Declaration[],
  { components, examples }: { components: Components; examples: Record<string, OperationExamples> },
): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {}
  const add = (path: string, method: string, operation: JsonObject) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const tool of inGroups(tools)) {
    const route = tool.rest
    if (!route) continue
    const recorded = examples[tool.name] ?? {}
    const operation = describeOperation(tool, route, { components, examples: recorded })
    add(routePath(route), route.method, operation)
    if (route.events) {
      const entry = watchedEntry(tool, { components, recorded, listField: route.events.listField })
      add(routePath({ ...route, ...route.events }), 'GET', describeEventStream(operation, route.events, entry))
    }
  }
  if (tools.some(({ group }) => group === 'imports'))
    add('/api/v1/upload/blob/{token}', 'PUT', describeFileUpload(components))
  return paths
}

/** The declarations by group, with groups in the product's order. */
function inGroups(tools: readonly Declaration[]): Declaration[] {
  const order = Object.keys(toolGroups)
  return tools.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
}

/** The named schema of the entries of a list, and a recorded entry. */
function watchedEntry(
  tool: Declaration,
  { components, recorded, listField }: { components: Components; recorded: OperationExamples; listField: string },
): { schema: string; example: unknown } {
  const list = answerSchema(tool.output, components)['properties'] as Record<string, { items: { $ref: string } }>
  const answer = recorded.answers?.['200'] as Record<string, unknown[]> | undefined
  return { schema: list[listField]?.items.$ref.split('/').at(-1) ?? '', example: answer?.[listField]?.[0] }
}
