import type { Declaration } from '../core/tool.ts'
import { listedSchema, objectSchema, type ObjectSchema } from './input-schema.ts'

export interface ListedTool {
  [key: string]: unknown
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  outputSchema?: ObjectSchema
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
      inputSchema: listedSchema(tool),
      ...(tool.mcp && tool.mcp.result ? {} : { outputSchema: objectSchema(tool.output, 'output') }),
      annotations: { title: tool.title, ...tool.annotations },
      // ChatGPT reads the required scope here (Apps SDK, tool descriptors).
      _meta: { securitySchemes: [{ type: 'oauth2', scopes: [tool.scope] }] },
    }))
}
