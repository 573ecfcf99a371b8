import { z } from 'zod'

/** Keywords of JSON Schema that replace or complete what is derived from a schema; undefined removes a keyword. */
type SchemaNotes = Record<string, unknown> & { id?: string; description?: string }

/**
 * What the OpenAPI document says of schemas beyond what zod derives. A registry of its own: the schemas that agents get over
 * MCP have none of it, since each name and keyword costs tokens there.
 */
const notes = z.registry<SchemaNotes>()

/** Notes the keywords for the OpenAPI document and returns the schema. */
export function noteSchema<T extends z.ZodType>(schema: T, keywords: Omit<SchemaNotes, 'id'>): T {
  notes.add(schema, { ...notes.get(schema), ...keywords })
  return schema
}

/** Makes a schema a named component of the OpenAPI document and returns it. */
export function nameSchema<T extends z.ZodType>(schema: T, id: string, description: string): T {
  notes.add(schema, { ...notes.get(schema), id, description })
  return schema
}

/** The metadata of schemas for the OpenAPI document: zod's own, completed by the notes. */
export const schemaMetadata = {
  get: (schema: z.ZodType): SchemaNotes => ({ ...z.globalRegistry.get(schema), ...notes.get(schema) }),
  has: () => true,
}
