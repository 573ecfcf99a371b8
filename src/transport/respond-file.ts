import type { ByteRange, FileAnswer } from '../core/file-answer.ts'
import { toByteStream } from '../runtime/byte-stream.ts'
import { matchesEtag } from './entity-tag.ts'
import { contentDisposition } from './content-disposition.ts'

/**
 * Responds with a file as an attachment: the whole file, one byte range (206, or 416 if it cannot be satisfied), or 304
 * if the client's copy is current (RFC 9110, sections 13 and 14). A request for several ranges gets the whole file.
 * Refuses like `open`.
 */
export async function respondFile(
  request: Request,
  answer: FileAnswer,
  extraHeaders: Record<string, string> = {},
): Promise<Response> {
  const { size, etag } = answer
  const headers: Record<string, string> = {
    ...extraHeaders,
    ...(etag === null ? {} : { ETag: `"${etag}"` }),
    'Cache-Control': etag === null ? 'private, no-store' : 'private, no-cache',
    ...(size === null ? {} : { 'Accept-Ranges': 'bytes' }),
  }
  if (etag !== null && matchesEtag(request.headers.get('if-none-match'), `"${etag}"`))
    return new Response(null, { status: 304, headers })
  const range = size === null ? null : requestedRange(request, { size, etag })
  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } })
  }
  Object.assign(headers, {
    'Content-Type': answer.contentType,
    'Content-Disposition': contentDisposition(answer.filename),
    'X-Content-Type-Options': 'nosniff',
    // Prevents scripts in a browser that displays the file anyway.
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` } : {}),
    ...(size === null ? {} : { 'Content-Length': String(range ? range.end - range.start + 1 : size) }),
  })
  const status = range ? 206 : 200
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  return new Response(toByteStream(await answer.open(range)), { status, headers })
}

/**
 * The byte range that a request asks for; null for the whole file, including when the file has changed (`If-Range`).
 */
function requestedRange(
  request: Request,
  { size, etag }: { size: number; etag: string | null },
): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] =
    /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.headers.get('range')?.trim() ?? '') ?? []
  if (request.method !== 'GET' || (first === '' && last === '')) return null
  const ifRange = request.headers.get('if-range')
  if (ifRange !== null && ifRange.trim() !== `"${etag}"`) return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  // A range whose end precedes its start is invalid and ignored.
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
