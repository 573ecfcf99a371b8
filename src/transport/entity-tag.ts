import { createHash } from 'node:crypto'

/** The tag of a text; weak, as proxies may compress what is sent (RFC 9110, section 8.8.1). */
export function weakTagOf(text: string): string {
  return `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
}

/** Whether an `If-None-Match` header names a tag; weak comparison, as it requires (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.trim() === '*' || header.split(',').some((tag) => opaqueTag(tag) === opaqueTag(etag))
}

function opaqueTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
