/** JSON, as the OpenAPI document is made of it. */
export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Where references of the document point. */
export const schemaReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

export const headerReference = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })

/** The name of a type: `read_items` becomes `ReadItems`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
}
