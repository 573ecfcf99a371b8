/** The parts of an OpenAPI 3.1 document that the reference uses. */
export interface ApiDocument {
  tags?: readonly { name: string; description?: string }[]
  paths: Record<string, Record<string, DescribedOperation>>
  components?: {
    schemas?: Record<string, Schema>
    responses?: Record<string, DescribedResponse>
    parameters?: Record<string, DescribedParameter>
    examples?: Record<string, Example>
  }
}

export interface DescribedOperation {
  operationId: string
  summary?: string
  description?: string
  tags?: readonly string[]
  'x-scope'?: string
  'x-rate-bucket'?: string
  security?: readonly Record<string, unknown>[]
  parameters?: readonly (DescribedParameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, DescribedResponse | Reference>
}

export interface DescribedParameter extends Exemplified {
  in: 'path' | 'query' | 'header' | 'cookie'
  name: string
  required?: boolean
  description?: string
  schema?: Schema
}

export interface DescribedResponse {
  description?: string
  content?: Content
}

/** Bodies by content type. */
export type Content = Record<string, Exemplified & { schema?: Schema }>

export interface Exemplified {
  example?: unknown
  examples?: Record<string, Example | Reference>
}

export interface Example {
  summary?: string
  value?: unknown
}

export interface Reference {
  $ref: string
}

/** The keywords of JSON Schema (draft 2020-12) that the document uses. */
export interface Schema {
  $ref?: string
  title?: string
  type?: string | readonly string[]
  description?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  pattern?: string
  default?: unknown
  examples?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** Resolves a reference within the document; returns anything else unchanged. Throws for a dangling reference. */
export function resolve<T extends object>(document: ApiDocument, part: T | Reference): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as T
  const found = part.$ref
    .split('/')
    .slice(1)
    .reduce((node: unknown, key) => (node as Record<string, unknown> | undefined)?.[key], document)
  if (found === undefined) throw new Error(`The document has no ${part.$ref}`)
  const { $ref: _, ...beside } = part
  return { ...resolve(document, found as T), ...beside }
}

/** The first example of a body or parameter; undefined if there is none. */
export function firstExample(document: ApiDocument, { example, examples = {} }: Exemplified): unknown {
  if (example !== undefined) return example
  const [first] = Object.values(examples)
  return first && resolve<Example>(document, first).value
}
