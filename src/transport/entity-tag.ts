/** Whether an `If-None-Match` header names a tag; weak comparison, as it requires (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.trim() === '*' || header.split(',').some((tag) => opaqueTag(tag) === opaqueTag(etag))
}

function opaqueTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}
