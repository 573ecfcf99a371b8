import { isIP } from 'node:net'
import type { Log } from '../core/context.ts'

/** The number of proxies in a request's `X-Forwarded-For`, and the number of trusted proxies. */
export interface ProxyMismatch {
  received: number
  trusted: number
}

/** Determines client addresses behind the trusted proxies. */
export interface ClientAddresses {
  /**
   * The client address of a request, given the address of its peer; undefined: the request did not come over a
   * connection.
   */
  addressOf(request: Request, peer: string | undefined): string
  /**
   * Null if a request came through exactly the trusted number of proxies. With more, all clients of a proxy share one
   * address. With fewer, clients can forge their address.
   */
  mismatchOf(request: Request): ProxyMismatch | null
}

/**
 * Reads client addresses behind `trustedProxies` proxies. Warns once if a forwarding header arrives while no proxy is
 * trusted.
 */
export function createClientAddresses(trustedProxies: number, log: Pick<Log, 'warn'>): ClientAddresses {
  let hasWarned = trustedProxies > 0
  return {
    addressOf({ headers }, peer = 'unknown') {
      const forwardedFor = headers.get('x-forwarded-for')
      if (!hasWarned && (forwardedFor !== null || headers.has('forwarded'))) {
        hasWarned = true
        log.warn({ header: forwardedFor === null ? 'Forwarded' : 'X-Forwarded-For' }, ignoredHeaderWarning)
      }
      return clientAddress(peer, forwardedFor, trustedProxies)
    },
    mismatchOf({ headers }) {
      const received = splitForwarded(headers.get('x-forwarded-for')).length
      return received === trustedProxies ? null : { received, trusted: trustedProxies }
    },
  }
}

const ignoredHeaderWarning =
  'A forwarding header arrived and was ignored. If a proxy is in front of this server, all its clients share one limit on ' +
  'sign-ins: set LECTERN_TRUSTED_PROXIES to the number of proxies that append to X-Forwarded-For.'

/**
 * The client address by which attempts are counted: the peer's, or with trusted proxies the address that the outermost
 * proxy saw. IPv6 addresses are truncated to their /64 prefix, because one host can use every address in it.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trustedProxies: number): string {
  const chain = [...splitForwarded(forwardedFor), peer]
  return toNetworkPrefix(chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? peer)
}

/**
 * The client address that the peer reports although no proxy is trusted; null if it reports none. A peer that is not a
 * proxy can report any address, so limits also need a window for the peer itself.
 */
export function reportedAddress(forwardedFor: string | null, trustedProxies: number): string | null {
  const reported = trustedProxies === 0 ? splitForwarded(forwardedFor).at(-1) : undefined
  return reported !== undefined && isIP(withoutPort(reported)) !== 0 ? toNetworkPrefix(reported) : null
}

function splitForwarded(header: string | null): string[] {
  return (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function withoutPort(address: string): string {
  return address.replace(/^\[|\](:\d+)?$/g, '').replace(/^([\d.]+):\d+$/, '$1')
}

function toNetworkPrefix(address: string): string {
  const bareAddress = withoutPort(address).replace(/^::ffff:(?=\d+\.)/i, '')
  if (!bareAddress.includes(':') || bareAddress.includes('.')) return bareAddress.slice(0, 64)
  const [head = '', tail] = bareAddress.split('::') as [string, string?]
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => (Number.parseInt(group, 16) || 0).toString(16))
    .join(':')}::/64`
}
