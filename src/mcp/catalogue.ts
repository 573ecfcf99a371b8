import { z } from 'zod'
import type { Tool } from '../tool.ts'

export interface ListedTool {
  [key: string]: unknown
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  outputSchema: { type: 'object'; [key: string]: unknown }
  annotations: Record<string, unknown>
}

/** The tools as `tools/list` shows them. Schemas are converted here, once at start: the SDK would do it at every call. */
export function listTools(tools: readonly Tool[]): ListedTool[] {
  return tools
    .filter(({ mcp }) => mcp !== false)
    .map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.idempotent
        ? withIdempotencyKey(objectSchema(tool.input, 'input'))
        : objectSchema(tool.input, 'input'),
      outputSchema: objectSchema(tool.output, 'output'),
      annotations: { title: tool.title, ...tool.annotations },
    }))
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const json = z.toJSONSchema(schema, { io, override: ({ jsonSchema }) => slim(jsonSchema) })
  const { $schema: _, ...rest } = json
  return { ...rest, type: 'object' }
}

/** Takes out the bounds that zod writes for every safe integer: they cost tokens and tell nothing. */
function slim(schema: Record<string, unknown>): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

function withIdempotencyKey(schema: ListedTool['inputSchema']): ListedTool['inputSchema'] {
  const idempotencyKey = {
    type: 'string',
    description: 'Send the same key again to repeat a call whose answer was lost.',
  }
  return { ...schema, properties: { ...(schema.properties as object), idempotencyKey } }
}
