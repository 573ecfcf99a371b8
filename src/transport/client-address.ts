import { isIP } from 'node:net'
import type { Log } from '../core/context.ts'

/** How many proxies a request came through by its `X-Forwarded-For`, and how many are trusted. */
export interface ProxyMismatch {
  received: number
  trusted: number
}

/** Tells clients apart behind the trusted proxies. */
export interface ClientAddresses {
  /** The client address of a request, from that of its peer; undefined: it came through no connection. */
  addressOf(request: Request, peer: string | undefined): string
  /**
   * Null if a request came through as many proxies as are trusted. Through more: all clients of a proxy share one
   * address. Through fewer: clients can choose their address.
   */
  mismatchOf(request: Request): ProxyMismatch | null
}

/**
 * Reads client addresses behind `trustedProxies` proxies. Warns once when a forwarding header arrives while no proxy is
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
 * The client address that attempts are counted by: the peer's, or with trusted proxies the address that the outermost
 * proxy saw. IPv6 addresses are cut to their /64 prefix, because one host can use every address in it.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trustedProxies: number): string {
  const chain = [...splitForwarded(forwardedFor), peer]
  return toNetworkPrefix(chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? peer)
}

/**
 * The address that the peer reports where no proxy is trusted: that of its client, if it is a proxy. Null if it reports
 * none. Whoever is no proxy can report any address: limits need a second window for the peer itself.
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
