/**
 * The network of a client address from `clientAddress`: the /24 prefix of an IPv4 address. IPv6 addresses are already
 * /64 prefixes.
 */
export function clientNetwork(address: string): string {
  const prefix = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(address)?.[1]
  return prefix === undefined ? address : `${prefix}.0/24`
}
