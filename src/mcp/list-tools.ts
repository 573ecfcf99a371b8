import { z } from 'zod'
import type { Declaration } from '../core/tool.ts'

export interface ListedTool {
  [key: string]: unknown
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  outputSchema?: { type: 'object'; [key: string]: unknown }
  annotations: Record<string, unknown>
  _meta: Record<string, unknown>
}

/** The tools as `tools/list` returns them. Converts schemas once at startup; the SDK would convert them at every call. */
export function listTools(tools: readonly Declaration[]): ListedTool[] {
  return tools
    .filter(({ mcp }) => mcp !== false)
    .map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.idempotent
        ? withIdempotencyKey(objectSchema(tool.input, 'input'))
        : objectSchema(tool.input, 'input'),
      ...(tool.mcp && tool.mcp.result ? {} : { outputSchema: objectSchema(tool.output, 'output') }),
      annotations: { title: tool.title, ...tool.annotations },
      // ChatGPT reads the required scope here (Apps SDK, tool descriptors).
      _meta: { securitySchemes: [{ type: 'oauth2', scopes: [tool.scope] }] },
    }))
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const json = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => dropRedundantBounds(jsonSchema, io) })
  const { $schema: _, ...rest } = json
  return { ...rest, type: 'object' }
}

/**
 * Removes the bounds that zod writes for every safe integer, which cost tokens. In output schemas, which only programs
 * read, also removes descriptions and `additionalProperties: false`, so that a cached schema accepts later fields.
 */
function dropRedundantBounds(schema: Record<string, unknown>, io: 'input' | 'output'): void {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
  if (io === 'input') return
  delete schema['description']
  if (schema['additionalProperties'] === false) delete schema['additionalProperties']
}

function withIdempotencyKey(schema: ListedTool['inputSchema']): ListedTool['inputSchema'] {
  const idempotencyKey = {
    type: 'string',
    maxLength: 255,
    description: 'Send the same key again to retry a lost call.',
  }
  return { ...schema, properties: { ...(schema['properties'] as object), idempotencyKey } }
}
