import { matchesEtag, weakTagOf } from '../transport/entity-tag.ts'

/**
 * A JSON response that caches may store for `maxAge` seconds and revalidate with `If-None-Match`: 304 if unchanged
 * (RFC 9110, section 13.1.2). The ETag is weak because proxies may compress the body.
 */
export function respondCacheable(
  request: Request,
  output: unknown,
  { status, maxAge }: { status: number; maxAge: number },
): Response {
  const body = JSON.stringify(output)
  const etag = weakTagOf(body)
  const headers = { 'Cache-Control': `public, max-age=${maxAge}`, ETag: etag }
  if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(body, { status, headers: { ...headers, 'Content-Type': 'application/json' } })
}
