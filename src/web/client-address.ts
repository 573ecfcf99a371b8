/**
 * The client address that attempts are counted by: the peer's, or with trusted proxies the address that the outermost
 * proxy saw. IPv6 addresses are cut to their /64 prefix, because one host can use every address in it.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trustedProxies: number): string {
  const chain = [...(forwardedFor ?? '').split(',').map((part) => part.trim()), peer].filter((part) => part !== '')
  return toNetworkPrefix(chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? peer)
}

function toNetworkPrefix(address: string): string {
  const bareAddress = address.replace(/^\[|\](:\d+)?$/g, '').replace(/^::ffff:(?=\d+\.)/i, '')
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
