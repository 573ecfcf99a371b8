/** A JSON object of the OpenAPI document. */
export type JsonObject = Record<string, unknown>

/** A reference to a component of the document. */
export const schemaReference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })

export const headerReference = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })

/** Converts a tool name to a type name: `read_items` becomes `ReadItems`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
}
