import type { PublicAddress } from '../core/context.ts'

interface BookVersionRef {
  id: string
  /** 0: the book has no text yet. */
  version: number
}

/** The address of a book in one version, at which people who may read it see its outline. */
export function bookUrl({ baseUrl }: PublicAddress, { id, version }: BookVersionRef): string {
  return `${baseUrl}/books/${encodeURIComponent(id)}${version > 0 ? `?v=${version}` : ''}`
}

/** The canonical address of a page in one version: what stands there never changes. */
export function pageUrl(
  { baseUrl }: PublicAddress,
  { id, version, pageNum }: BookVersionRef & { pageNum: number },
): string {
  return `${baseUrl}/books/${encodeURIComponent(id)}/pages/${pageNum}?v=${version}`
}
