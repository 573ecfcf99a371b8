import { gzipSync } from 'node:zlib'
import { matchesEtag, weakTagOf } from '../../../transport/entity-tag.ts'
import { accepts } from '../../design/assets.ts'
import type { Visit } from '../../visit.ts'
import type { Entry } from './find-operations.ts'

interface SearchIndex {
  text: string
  compressed: Buffer<ArrayBuffer>
  etag: string
}

const indexes = new WeakMap<readonly Entry[], SearchIndex>()

/**
 * The search index for the script of the pages, as JSON. It is the same for everybody and constant while the server
 * runs.
 */
export function respondWithIndex({ request }: Visit, entries: readonly Entry[]): Response {
  const index = indexes.get(entries) ?? makeIndex(entries)
  indexes.set(entries, index)
  const headers = {
    'Cache-Control': 'public, max-age=300',
    ETag: index.etag,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  }
  if (matchesEtag(request.headers.get('if-none-match'), index.etag)) return new Response(null, { status: 304, headers })
  const type = { 'Content-Type': 'application/json' }
  if (!accepts(request.headers.get('accept-encoding') ?? '', 'gzip'))
    return new Response(index.text, { headers: { ...headers, ...type } })
  return new Response(index.compressed, { headers: { ...headers, ...type, 'Content-Encoding': 'gzip' } })
}

function makeIndex(entries: readonly Entry[]): SearchIndex {
  const text = JSON.stringify(entries.map(({ title, path, kind, words }) => ({ title, path, kind, words })))
  const etag = weakTagOf(text)
  return { text, compressed: gzipSync(text), etag }
}
