import { z } from 'zod'

/** JSON Schema keywords that override or complete those derived from a schema; undefined removes a keyword. */
type SchemaNotes = Record<string, unknown> & { id?: string; description?: string }

/**
 * Additions to schemas in the OpenAPI document, beyond what zod derives. They are in a separate registry to keep them
 * out of the MCP schemas, where each name and keyword costs tokens.
 */
const notes = z.registry<SchemaNotes>()

/** Adds keywords for the OpenAPI document to a schema and returns the schema. */
export function noteSchema<T extends z.ZodType>(schema: T, keywords: Omit<SchemaNotes, 'id'>): T {
  notes.add(schema, { ...notes.get(schema), ...keywords })
  return schema
}

/** A pattern that matches any text with a visible character. */
export const visible = '\\S'

/**
 * Characters up to U+00BF that are neither letters nor digits. Patterns list them because many validators do not
 * support `\\p{L}`. For characters beyond that range, a format names the rule that only the server checks.
 */
const notLetters =
  '\\u0000-\\u002c\\u002e\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf'

/** A name with at least one letter or digit, which a slug can be made of. */
export const sluggable = { format: 'sluggable', pattern: `[^-_${notLetters}]` }

/** Letters, digits, `_` and `-`. */
export const slugOrId = { format: 'slug-or-id', pattern: `^[^${notLetters}]{1,64}$` }

/**
 * At least one of the conditions must hold. It avoids `anyOf`, which code generators turn into a union type although
 * the type is the same.
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
