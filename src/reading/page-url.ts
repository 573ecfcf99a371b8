import type { PublicAddress } from '../core/context.ts'

interface BookVersionRef {
  id: string
  /** 0: the book has no text yet. */
  version: number
}

/** The URL of a book in one version, which shows its outline to readers with access. */
export function bookUrl({ baseUrl }: PublicAddress, { id, version }: BookVersionRef): string {
  return `${baseUrl}/books/${encodeURIComponent(id)}${version > 0 ? `?v=${version}` : ''}`
}

/** The canonical URL of a page in one version. The page behind it never changes. */
export function pageUrl(
  { baseUrl }: PublicAddress,
  { id, version, pageNum }: BookVersionRef & { pageNum: number },
): string {
  return `${baseUrl}/books/${encodeURIComponent(id)}/pages/${pageNum}?v=${version}`
}
