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

/** The pattern of a text that is not blank. */
export const visible = '\\S'

/**
 * Classes of characters that are neither letters nor digits, up to U+00BF. Patterns of the document name them, since many
 * validators know no `\\p{L}`; beyond that range a format says what only the server checks.
 */
const notLetters =
  '\\u0000-\\u002c\\u002e\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf'

/** A name with a letter or a digit, of which a slug can be made. */
export const sluggable = { format: 'sluggable', pattern: `[^-_${notLetters}]` }

/** Letters, digits, `_` and `-`. */
export const slugOrId = { format: 'slug-or-id', pattern: `^[^${notLetters}]{1,64}$` }

/**
 * One condition or more must hold. Not `anyOf`, of which generators of code make a union of types where there is only one.
 */
export function atLeastOneOf(first: object, ...others: object[]): Record<string, unknown> {
  const [next, ...rest] = others
  return next === undefined ? { ...first } : { if: first, else: atLeastOneOf(next, ...rest) }
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
