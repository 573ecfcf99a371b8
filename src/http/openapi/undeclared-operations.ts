import type { Route } from '../../core/tool.ts'
import { toolGroups } from '../../core/tool-groups.ts'
import type { Components } from './components.ts'
import type { JsonObject } from './json-schema.ts'
import { headerFields } from './parameters.ts'
import type { RouteRefusal } from './refusal-codes.ts'
import { refusalResponses, unexpectedResponse } from './refusals.ts'

/** The operation for the event stream of a list. */
export function describeEventStream(
  list: JsonObject,
  { eventName, listField }: NonNullable<Route['events']>,
  entry: { schema: string; example: unknown },
): JsonObject {
  const { responses, parameters, description: _, ...rest } = list
  const answer = (responses as Record<string, JsonObject>)['200']
  const frames = `retry: 1000\n\nevent: ${eventName}\nid: 2026-03-02T10:00:00.000Z\ndata: ${JSON.stringify(entry.example ?? {})}\n\n`
  return {
    ...rest,
    operationId: `${String(list['operationId'])}_events`,
    summary: `${String(list['summary'])}: changes`,
    description:
      `Server-sent events (HTML Living Standard, section 9.2): all current ${listField}, then each one that changes. Each is a ` +
      `\`${eventName}\` event with a ${entry.schema} as JSON in its data, and the time of the change as its id. A comment is sent ` +
      'every 15 seconds; a stream ends after 10 minutes, and clients connect again with `Last-Event-ID`.',
    parameters: [...(parameters as JsonObject[]), headerFields.lastEventId],
    responses: {
      ...(responses as JsonObject),
      200: {
        description: 'The stream.',
        headers: answer?.['headers'],
        content: {
          'text/event-stream': { schema: { type: 'string' }, examples: { recorded: { value: frames } } },
        },
      },
    },
    'x-events': { [eventName]: { data: { $ref: `#/components/schemas/${entry.schema}` } } },
  }
}

/** The content types that an upload may declare (contract, Upload). */
const uploadContentTypes = [
  'application/pdf',
  'application/epub+zip',
  'text/markdown',
  'text/plain',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.oasis.opendocument.text',
  'application/rtf',
  'text/rtf',
  'application/x-fictionbook+xml',
  'application/zip',
  'text/xml',
  'application/x-mobipocket-ebook',
  'application/vnd.amazon.mobi8-ebook',
  'application/vnd.amazon.ebook',
  'application/vnd.comicbook+zip',
  'application/x-cbz',
  'text/html',
  'application/xhtml+xml',
]

const uploadRefusals: RouteRefusal[] = [
  { code: 'INVALID_INPUT', status: 400, bodyCode: 'INVALID_INPUT' },
  { code: 'FORBIDDEN', status: 403, bodyCode: 'FORBIDDEN' },
  { code: 'CONFLICT', status: 409, bodyCode: 'CONFLICT' },
  { code: 'PAYLOAD_TOO_LARGE', status: 413, bodyCode: 'PAYLOAD_TOO_LARGE' },
  { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415, bodyCode: 'UNSUPPORTED_MEDIA_TYPE' },
  { code: 'UNAVAILABLE', status: 503, bodyCode: 'UNAVAILABLE' },
  { code: 'STORAGE_FULL', status: 507, bodyCode: 'STORAGE_FULL' },
]

/** The PUT to the signed URL of an upload, which no capability declares. */
export function describeFileUpload(components: Components): JsonObject {
  const file = { schema: { type: 'string', format: 'binary' } }
  return {
    operationId: 'put_upload_file',
    summary: 'Send the file of an upload',
    description:
      'Send the bytes of the file to the `uploadUrl` of `start_upload`, as it is: it is signed, needs no credential, works once and ' +
      'for 15 minutes. `Content-Type` must be the one that was declared. With a bucket as file store the address is one of the ' +
      'bucket, which answers with an empty body. Then confirm the upload.',
    tags: [toolGroups.imports.title],
    security: [],
    parameters: [
      {
        name: 'token',
        in: 'path',
        required: true,
        description: 'The signed part of the address.',
        schema: { type: 'string', minLength: 1 },
      },
    ],
    requestBody: { required: true, content: Object.fromEntries(uploadContentTypes.map((type) => [type, file])) },
    responses: {
      200: {
        description: 'The file is stored.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/StoredFile' } } },
      },
      ...refusalResponses(uploadRefusals, { name: 'put_upload_file', components, exampleOf: () => undefined }),
      default: unexpectedResponse,
    },
  }
}

/** The response to the PUT of a file. */
export const storedFileSchema: JsonObject = {
  type: 'object',
  description: 'A file as it was received.',
  required: ['bytes', 'sha256'],
  properties: {
    bytes: { type: 'integer', minimum: 0 },
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
}
