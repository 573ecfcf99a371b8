import type { Visit } from './visit.ts'

/**
 * True if the visitor followed a link on a page of this server, in contrast to a typed address, a bookmark, or a link
 * in an assistant or on another site. Determined by `Sec-Fetch-Site`, which browsers send over https, otherwise by the
 * referrer.
 */
export function comesFromSite({ request, site }: Pick<Visit, 'request' | 'site'>): boolean {
  const fetchSite = request.headers.get('sec-fetch-site')
  if (fetchSite !== null) return fetchSite === 'same-origin'
  return (request.headers.get('referer') ?? '').startsWith(`${site.baseUrl}/`)
}
