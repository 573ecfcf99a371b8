import { ClientError } from './client-error.ts'
import { callWithinRateLimit } from './rate-limited-calls.ts'
import type { Server } from './server.ts'

/** Limits of one request: bytes, and pages, each of which starts with a top-level heading. */
const maxPartBytes = 900_000
const maxPartPages = 900

/** The text of a book here, and its version. Costs one read. */
export async function readText(server: Server, id: string): Promise<{ content: string; version: number | null }> {
  const { content, version } = await callWithinRateLimit(server, 'GET', {
    path: `/api/v1/items/${encodeURIComponent(id)}/content`,
  })
  return { content: String(content ?? ''), version: typeof version === 'number' ? version : null }
}

/** Creates a book with a text; returns its id. Long texts are sent in parts, each of which ends with a line. */
export async function writeBook(
  server: Server,
  { title, description, text }: { title: string; description: string | null; text: string },
): Promise<string> {
  const [first = '', ...rest] = partsOf(text)
  const body = { title, description, ...(first === '' ? {} : { content: first }) }
  const { id } = await callWithinRateLimit(server, 'POST', { path: '/api/v1/items/markdown', body })
  await appendParts(server, String(id), rest)
  return String(id)
}

/** Adds the rest of a text after `begun`, which the book already has. */
export function completeBook(server: Server, id: string, { text, begun }: { text: string; begun: string }) {
  return appendParts(server, id, partsOf(text.slice(begun.length)))
}

/** Replaces the text of version `version` of a book. */
export async function replaceText(
  server: Server,
  id: string,
  { text, version }: { text: string; version: number },
): Promise<void> {
  const [first = '', ...rest] = partsOf(text)
  const body = { content: first, expectedVersion: version }
  await callWithinRateLimit(server, 'PUT', { path: `/api/v1/items/${encodeURIComponent(id)}/content`, body })
  await appendParts(server, id, rest)
}

async function appendParts(server: Server, id: string, parts: readonly string[]): Promise<void> {
  const path = `/api/v1/items/${encodeURIComponent(id)}/pages`
  for (const content of parts) await callWithinRateLimit(server, 'POST', { path, body: { content } })
}

/** Splits a text into parts that fit into requests, at line ends. Throws `ClientError` for a line that is too long. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  let [part, bytes, pages]: [string[], number, number] = [[], 0, 0]
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const size = Buffer.byteLength(line)
    if (size > maxPartBytes) throw new ClientError('PAYLOAD_TOO_LARGE', 'a line of its text is too long for a request')
    const isPage = line.startsWith('# ')
    if (part.length > 0 && (bytes + size > maxPartBytes || (isPage && pages >= maxPartPages))) {
      parts.push(part.join(''))
      ;[part, bytes, pages] = [[], 0, 0]
    }
    part.push(line)
    bytes += size
    if (isPage) pages += 1
  }
  if (part.length > 0) parts.push(part.join(''))
  return parts
}
