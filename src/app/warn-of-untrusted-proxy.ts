import type { Log } from '../core/context.ts'
import { loopbackHosts } from '../runtime/loopback-hosts.ts'
import type { Config } from './config.ts'

/**
 * Warns if the configuration implies a proxy in front of the server, because only a proxy can serve https, but trusts
 * none.
 */
export function warnOfUntrustedProxy({ role, baseUrl, trustedProxies }: Config, log: Log): void {
  const { protocol, hostname } = new URL(baseUrl)
  if (role === 'worker' || trustedProxies > 0 || protocol !== 'https:' || loopbackHosts.has(hostname)) return
  log.warn(
    { baseUrl },
    'LECTERN_BASE_URL is https, so there is a proxy in front, but LECTERN_TRUSTED_PROXIES is 0: all clients share one limit on ' +
      'sign-ins. Set it to the number of proxies that append to X-Forwarded-For.',
  )
}
