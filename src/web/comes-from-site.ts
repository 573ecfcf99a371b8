import type { Visit } from './visit.ts'

/**
 * True when a link of this server's pages led here; a typed address, a bookmark, or a link in an assistant or on another
 * site did not. By `Sec-Fetch-Site`, which browsers send over https, else by the referrer.
 */
export function comesFromSite({ request, site }: Pick<Visit, 'request' | 'site'>): boolean {
  const fetchSite = request.headers.get('sec-fetch-site')
  if (fetchSite !== null) return fetchSite === 'same-origin'
  return (request.headers.get('referer') ?? '').startsWith(`${site.baseUrl}/`)
}
