import { createHash } from 'node:crypto'

/** The entity tag of a text. It is weak, because proxies may compress the response (RFC 9110, section 8.8.1). */
export function weakTagOf(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** True if an `If-None-Match` header contains a tag, by weak comparison (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.trim() === '*' || header.split(',').some((tag) => opaqueTag(tag) === opaqueTag(etag))
}

function opaqueTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
