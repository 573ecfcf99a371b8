import { z } from 'zod'
import { isObject } from '../../core/is-object.ts'
import { schemaMetadata } from '../../core/schema-notes.ts'
import { schemaReference, type JsonObject } from './json-schema.ts'
import { openSchema, simplifySchema } from './simplify-schema.ts'

/** The named schemas of a document, collected while its operations are described. */
export interface Components {
  schemas: Record<string, JsonObject>
}

/** The JSON Schema of a request. */
export function requestSchema(schema: z.ZodType, components: Components): JsonObject {
  return convert(schema, { io: 'input', components })
}

/** The JSON Schema of an answer. */
export function answerSchema(schema: z.ZodType, components: Components): JsonObject {
  return openSchema(convert(schema, { io: 'output', components })) as JsonObject
}

function convert(
  schema: z.ZodType,
  { io, components }: { io: 'input' | 'output'; components: Components },
): JsonObject {
  const metadata = schemaMetadata as unknown as typeof z.globalRegistry
  const json: JsonObject = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any' })
  for (const [name, definition] of Object.entries((json['$defs'] ?? {}) as JsonObject)) {
    const simple = simplifySchema(definition) as JsonObject
    addComponent(components, name, io === 'output' ? (openSchema(simple) as JsonObject) : simple)
  }
  return simplifySchema(json) as JsonObject
}

/** Adds a named schema; throws if another schema has the same name, which is a defect of the declarations. */
export function addComponent({ schemas }: Components, name: string, schema: JsonObject): void {
  const known = schemas[name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas have the name ${name}`)
  schemas[name] = schema
}

/** A reference to the schema as a component of this name; a schema that is already a reference stays unchanged. */
export function named(components: Components, name: string, schema: JsonObject): JsonObject {
  if (typeof schema['$ref'] === 'string' || !isObject(schema)) return schema
  addComponent(components, name, schema)
  return schemaReference(name)
}
