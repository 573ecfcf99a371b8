import { readFileSync } from 'node:fs'
import { isObject } from '../../core/is-object.ts'
import type { Components } from './components.ts'
import type { JsonObject } from './json-schema.ts'

/**
 * Descriptions of fields for people: by name if the name means the same everywhere (`pageCount`), otherwise by
 * component and name (`Job.status`). They are separate from the declarations, whose descriptions are for agents and
 * cost tokens.
 */
const descriptions: Record<string, string> = JSON.parse(
  readFileSync(new URL('field-descriptions.json', import.meta.url), 'utf8'),
)

/** Adds a description to each field of the components, and of nested objects, whose declaration has none. */
export function describeFields({ schemas }: Components): void {
  for (const [name, schema] of Object.entries(schemas)) describeIn(schema, name)
}

/** The description of a field of a component, or of any field with this name; undefined if there is none. */
export function fieldDescription(component: string, name: string): string | undefined {
  return descriptions[`${component}.${name}`] ?? descriptions[name]
}

function describeIn(schema: unknown, component: string): void {
  if (!isObject(schema)) return
  const fields = (schema['properties'] ?? {}) as Record<string, JsonObject>
  for (const [name, field] of Object.entries(fields)) {
    const description = fieldDescription(component, name)
    // A referenced schema has its own description. Several fields may share one schema object, so it stays unchanged.
    if (description !== undefined && !refersOnly(field)) fields[name] = { description, ...field }
    describeIn(fields[name], component)
  }
  describeIn(schema['items'], component)
  for (const branch of (schema['anyOf'] ?? []) as unknown[]) describeIn(branch, component)
}

/** True if a schema is a reference, or a union of a reference and null. */
function refersOnly({ $ref, anyOf }: JsonObject): boolean {
  return $ref !== undefined || (Array.isArray(anyOf) && anyOf.some((branch) => isObject(branch) && branch['$ref']))
}
