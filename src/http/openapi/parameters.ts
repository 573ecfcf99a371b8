import type { Declaration, Route } from '../../core/tool.ts'
import { fieldDescription } from './describe-fields.ts'
import type { JsonObject } from './json-schema.ts'

interface ParameterField {
  schema?: JsonObject | undefined
  required: boolean
  example?: unknown
  /** The name of the input, by which its fields are described. */
  input: string
}

/** Describes a path, query or header parameter from the schema of its field. */
export function describeParameter(
  location: 'path' | 'query' | 'header',
  name: string,
  { schema = { type: 'string' }, required, example, input }: ParameterField,
): JsonObject {
  const { description = fieldDescription(input, name), ...rest } = schema
  return {
    name,
    in: location,
    required,
    ...(description ? { description } : {}),
    schema: rest,
    ...(example === undefined ? {} : { examples: { recorded: { value: example } } }),
  }
}

/** The header parameters that an operation reads. */
export function headerParameters(tool: Declaration, route: Route): JsonObject[] {
  return [
    ...(tool.idempotent ? [headerFields.idempotencyKey] : []),
    ...(route.ifMatch ? [headerFields.ifMatch] : []),
    ...(readsInSession(tool) ? [headerFields.readingSession] : []),
    ...(route.file ? [headerFields.range] : []),
    ...(route.file || route.maxAge !== undefined ? [headerFields.ifNoneMatch] : []),
  ]
}

/** True if the reads of a call can belong to a research session; over REST a header field carries its id. */
function readsInSession({ input, annotations }: Declaration): boolean {
  return annotations.readOnlyHint && 'shape' in input && 'sessionId' in (input.shape as object)
}

/** The header fields of requests. */
export const headerFields = {
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Send the same key again to retry a request whose response was lost. Valid for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]{1,255}$' },
    examples: { uuid: { value: '0b4f8a52-6f0e-4f0b-9a6e-2f1f0c9d7c11' } },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The expected current version, in quotes; `*` expects none. A different current version is refused with 412.',
    schema: { type: 'string', pattern: '^(?:"[0-9]{1,9}"|\\*)$' },
    examples: { version: { value: '"7"' } },
  },
  readingSession: {
    name: 'X-CK-Session',
    in: 'header',
    required: false,
    description: 'Id of one of your research sessions, in which these reads are recorded. Any other id is ignored.',
    schema: { type: 'string' },
  },
  range: {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of bytes (RFC 9110, section 14.2). For any other value, the answer is the whole file.',
    schema: { type: 'string' },
    examples: { beginning: { value: 'bytes=0-1023' } },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: "The ETag of the client's copy; if it is current, the answer is 304.",
    schema: { type: 'string' },
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'Id of the last event of an earlier stream; entries unchanged since then are not sent again.',
    schema: { type: 'string' },
    examples: { time: { value: '2026-03-02T10:00:00.000Z' } },
  },
} satisfies Record<string, JsonObject>

const seconds = { type: 'integer', minimum: 0 }

/** The header fields of responses, as components of the document. */
export const responseHeaderComponents: Record<string, JsonObject> = {
  RequestId: { description: 'Id of this request in the server log.', schema: { type: 'string' } },
  RetryAfter: { description: 'Whole seconds after which the same call may succeed.', schema: seconds },
  RateLimitLimit: { description: 'Calls that the rate limit allows in a window.', schema: seconds },
  RateLimitRemaining: { description: 'Calls that are left in this window.', schema: seconds },
  RateLimitReset: { description: 'Whole seconds until the window ends.', schema: seconds },
}
