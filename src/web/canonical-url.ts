import { loopbackHosts } from '../runtime/loopback-hosts.ts'

/**
 * The address of a page under the base URL, for a visit by another name of this computer, such as `127.0.0.1` instead of
 * `localhost`: forms of that page would come from another origin. Null for all other visits.
 */
export function canonicalUrl(url: URL, baseUrl: string): string | null {
  const { origin, hostname, port } = new URL(baseUrl)
  const isOtherName = url.hostname !== hostname && loopbackHosts.has(url.hostname) && loopbackHosts.has(hostname)
  return isOtherName && url.port === port ? `${origin}${url.pathname}${url.search}` : null
}
