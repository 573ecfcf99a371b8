import { readFileSync } from 'node:fs'
import type { Components } from './components.ts'
import { isJsonObject, type JsonObject } from './json-schema.ts'

/**
 * What fields are, for people: by name where a name means the same everywhere (`pageCount`), else by component and name
 * (`Job.status`). Beside the declarations, as the words of those are for agents, whom each costs tokens.
 */
const descriptions: Record<string, string> = JSON.parse(
  readFileSync(new URL('field-descriptions.json', import.meta.url), 'utf8'),
)

/** Describes each field of the components, and of the objects in them, that has no description of its declaration. */
export function describeFields({ schemas }: Components): void {
  for (const [name, schema] of Object.entries(schemas)) describeIn(schema, name)
}

/** What a field of this name is, wherever it stands; undefined for a name that says all. */
export function fieldDescription(name: string): string | undefined {
  return descriptions[name]
}

function describeIn(schema: unknown, component: string): void {
  if (!isJsonObject(schema)) return
  for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>)) {
    const description = descriptions[`${component}.${name}`] ?? descriptions[name]
    // What a reference leads to has a description of its own.
    if (description !== undefined && !refersOnly(field)) field['description'] ??= description
    describeIn(field, component)
  }
  describeIn(schema['items'], component)
  for (const branch of (schema['anyOf'] ?? []) as unknown[]) describeIn(branch, component)
}

/** Whether a schema is a reference, or a reference or null. */
function refersOnly({ $ref, anyOf }: JsonObject): boolean {
  return $ref !== undefined || (Array.isArray(anyOf) && anyOf.some((branch) => isJsonObject(branch) && branch['$ref']))
}
