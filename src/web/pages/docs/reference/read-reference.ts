import { z } from 'zod'
import { rateLimits } from '../../../../accounts/rate-limiter.ts'
import { toolGroups } from '../../../../core/tool-groups.ts'
import { isWriteScope, scopes, type Scope } from '../../../../core/scopes.ts'
import type { Declaration } from '../../../../core/tool.ts'
import {
  firstExample,
  resolve,
  type ApiDocument,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedResponse,
  type Schema,
} from './api-document.ts'
import { readRefusals, type Refusal } from './read-refusals.ts'

/** All content of the reference for one server. */
export interface ApiReference {
  document: ApiDocument
  groups: readonly Group[]
}

/** The operations of one tag of the document, and the tools without a route on the same topic; one page. */
export interface Group {
  slug: string
  title: string
  description: string
  operations: readonly Operation[]
}

export interface Operation {
  /** The id in the document, and the anchor on its page. */
  id: string
  title: string
  description: string
  /** Null for a tool without a route. */
  route: { method: string; path: string; described: DescribedOperation } | null
  parameters: readonly DescribedParameter[]
  /** The request body; null if there is none. */
  body: { schema: Schema; required: boolean; example: unknown; contentType: string } | null
  answers: readonly Answer[]
  refusals: readonly Refusal[]
  scope: Scope | null
  /** The accepted credential. */
  credential: 'any' | 'apiKey' | 'session' | 'none'
  rateLimit: RateLimit | null
  /** The MCP tool; null if it is offered over REST only. */
  mcp: McpCall | null
  /** The declaration; null for operations without one. */
  tool: Declaration | null
  isStream: boolean
}

export interface McpCall {
  name: string
  example: Record<string, unknown>
  /** The MCP input if it differs from the fields over REST; otherwise null. */
  input: Schema | null
  rateLimit: RateLimit
}

export interface Answer {
  status: string
  description: string
  contentType: string | null
  schema: Schema | null
  example: unknown
}

export interface RateLimit {
  bucket: string
  calls: number
}

/** Reads a document, and reads from the declarations what the document lacks. */
export function readReference(document: ApiDocument, tools: readonly Declaration[]): ApiReference {
  const toolsByName = new Map(tools.map((tool) => [tool.name, tool]))
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => methodNames.has(method))
      .map(([method, described]) => ({
        tag: described.tags?.[0] ?? 'Other',
        operation: readOperation({ document, method: method.toUpperCase(), path, described }, toolsByName),
      })),
  )
  const overMcp = tools.filter(({ rest, mcp }) => !rest && mcp !== false)
  const members = [
    ...operations,
    ...overMcp.map((tool) => ({ tag: toolGroups[tool.group].title as string, operation: readTool(tool) })),
  ]
  const byTag = Map.groupBy(members, ({ tag }) => tag)
  const known = new Map(document.tags?.map(({ name, description = '' }) => [name, description]))
  const names = [...known.keys(), ...[...byTag.keys()].filter((tag) => !known.has(tag))]
  const groups = names.map((name) => ({
    slug: slugOf(name),
    title: titleOf(name),
    description: known.get(name) ?? '',
    operations: (byTag.get(name) ?? []).map(({ operation }) => operation),
  }))
  return { document, groups: groups.filter((group) => group.operations.length > 0) }
}

/** The path of a group's page. */
export function groupPath({ slug }: Pick<Group, 'slug'>): string {
  return `/docs/${slug}`
}

/** The path of an operation's description. */
export function operationPath(reference: ApiReference, id: string): string {
  const group = reference.groups.find(({ operations }) => operations.some((operation) => operation.id === id))
  return `${group ? groupPath(group) : '/docs'}#${id}`
}

const methodNames = new Set(['get', 'post', 'put', 'patch', 'delete'])

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return `${words[0]?.toUpperCase()}${words.slice(1)}`
}

interface Described {
  document: ApiDocument
  method: string
  path: string
  described: DescribedOperation
}

function readOperation(
  { document, method, path, described }: Described,
  tools: ReadonlyMap<string, Declaration>,
): Operation {
  const tool = tools.get(described.operationId) ?? null
  const refusals = readRefusals(document, described)
  const refused = new Set(refusals.map(({ status }) => String(status)))
  const answers = readAnswers(document, described).filter(({ status }) => !refused.has(status))
  return {
    id: described.operationId,
    title: described.summary ?? described.operationId,
    description: described.description ?? '',
    route: { method, path, described },
    parameters: (described.parameters ?? []).map((parameter) => resolve<DescribedParameter>(document, parameter)),
    body: readBody(document, described),
    answers,
    refusals,
    scope: scopes.find((scope) => scope === described['x-scope']) ?? null,
    credential: tool?.rest?.credential ?? credentialOf(described),
    rateLimit: rateLimitOf(described['x-rate-bucket']),
    mcp: tool ? mcpOf(tool) : null,
    tool,
    isStream: answers.some(({ contentType }) => contentType === 'text/event-stream'),
  }
}

/** Reads a tool that is offered over MCP only. */
function readTool(tool: Declaration): Operation {
  return {
    id: tool.name,
    title: tool.title,
    description: tool.description,
    route: null,
    parameters: [],
    body: {
      schema: jsonSchema(tool.input, 'input'),
      required: true,
      example: tool.example,
      contentType: 'application/json',
    },
    answers: [
      { status: '', description: '', contentType: null, schema: jsonSchema(tool.output, 'output'), example: undefined },
    ],
    refusals: [],
    scope: tool.scope,
    credential: 'any',
    rateLimit: null,
    mcp: mcpOf(tool),
    tool,
    isStream: false,
  }
}

/** Converts a schema of a declaration to the document's form. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Schema
}

function credentialOf({ security }: DescribedOperation): Operation['credential'] {
  if (security === undefined) return 'any'
  return security.length === 0 ? 'none' : security.some((one) => 'session' in one) ? 'session' : 'any'
}

function mcpOf({ name, mcp, example = {}, scope, rest, input }: Declaration): McpCall | null {
  if (mcp === false) return null
  const bucket = isWriteScope(scope) ? 'mcp_write' : 'mcp_read'
  const differs = rest !== undefined && (rest.input !== undefined || rest.legacy?.fieldNames !== undefined)
  return {
    name,
    example,
    input: differs ? jsonSchema(input, 'input') : null,
    rateLimit: { bucket, calls: rateLimits[bucket] },
  }
}

function rateLimitOf(bucket: string | undefined): RateLimit | null {
  const entry = Object.entries(rateLimits).find(([name]) => name === bucket)
  return entry ? { bucket: entry[0], calls: entry[1] } : null
}

function readBody(document: ApiDocument, { requestBody }: DescribedOperation): Operation['body'] {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!media || !type) return null
  return {
    schema: media.schema ?? {},
    required: requestBody?.required ?? false,
    example: firstExample(document, media),
    contentType: type,
  }
}

function readAnswers(document: ApiDocument, { responses }: DescribedOperation): Answer[] {
  return Object.entries(responses)
    .filter(([status]) => /^\d+$/.test(status))
    .map(([status, response]) => {
      const { description = '', content = {} } = resolve<DescribedResponse>(document, response)
      const [contentType = null, media] = Object.entries(content)[0] ?? []
      return {
        status,
        description,
        contentType,
        schema: media?.schema ?? null,
        example: media && firstExample(document, media),
      }
    })
}
