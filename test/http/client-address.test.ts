import { expect, test } from 'vitest'
import { clientAddress, reportedAddress } from '../../src/transport/client-address.ts'

test.for<[string, string, string | null, number, string]>([
  ['the peer without proxies', '192.0.2.1', null, 0, '192.0.2.1'],
  ['the peer, whatever it claims', '192.0.2.1', '203.0.113.9', 0, '192.0.2.1'],
  ['the client of one proxy', '127.0.0.1', '203.0.113.9', 1, '203.0.113.9'],
  ['the client of one proxy, whatever it claims', '127.0.0.1', '10.0.0.1, 203.0.113.9', 1, '203.0.113.9'],
  ['the client of the outer of two proxies', '127.0.0.1', '203.0.113.9, 10.0.0.1', 2, '203.0.113.9'],
  ['the farthest known address if proxies are missing', '127.0.0.1', null, 2, '127.0.0.1'],
  ['an IPv4 address in IPv6 form', '::ffff:192.0.2.1', null, 0, '192.0.2.1'],
  ['the network of an IPv6 address', '2001:db8:1:2:3:4:5:6', null, 0, '2001:db8:1:2::/64'],
  ['the network of a shortened IPv6 address', '2001:db8::1', null, 0, '2001:db8:0:0::/64'],
  ['the same network in another notation', '2001:0DB8:0:0:1::1', null, 0, '2001:db8:0:0::/64'],
  ['loopback', '::1', null, 0, '0:0:0:0::/64'],
  ['an IPv4 address with a port', '127.0.0.1', '203.0.113.9:4711', 1, '203.0.113.9'],
  ['an IPv6 address with a port', '127.0.0.1', '[2001:db8::7]:4711', 1, '2001:db8:0:0::/64'],
])('%s', ([, peer, forwarded, proxies, expected]) => {
  expect(clientAddress(peer, forwarded, proxies)).toBe(expected)
})

test.for<[string, string | null, number, string | null]>([
  ['nothing without a header', null, 0, null],
  ['the client of a proxy that is not trusted', '203.0.113.9', 0, '203.0.113.9'],
  ['what the proxy appended, not what its client claims', '10.0.0.1, 203.0.113.9:80', 0, '203.0.113.9'],
  ['a network of IPv6 addresses', '[2001:db8::7]:4711', 0, '2001:db8:0:0::/64'],
  ['nothing if it is not an address', 'unknown', 0, null],
  ['nothing if proxies are trusted', '10.0.0.1, 203.0.113.9', 1, null],
])('a peer reports %s', ([, forwarded, proxies, expected]) => {
  expect(reportedAddress(forwarded, proxies)).toBe(expected)
})
