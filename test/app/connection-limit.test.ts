import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import { expect, test } from 'vitest'
import { limitConnections } from '../../src/app/connection-limit.ts'

/** A server with connections from these addresses; returns the addresses whose connections were closed. */
function connectFrom(addresses: readonly string[], maxPerAddress: number): string[] {
  const server = new EventEmitter()
  const closed: string[] = []
  limitConnections(server as Server, { max: 100, maxPerAddress }, () => {})
  for (const remoteAddress of addresses) {
    const destroy = () => closed.push(remoteAddress)
    server.emit('connection', Object.assign(new EventEmitter(), { remoteAddress, destroy }))
  }
  return closed
}

test.for<[what: string, addresses: string[], closed: string[]]>([
  ['one IPv4 address', ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'], ['192.0.2.1']],
  ['an IPv4 address on an IPv6 socket', ['::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1'], ['::ffff:192.0.2.1']],
  [
    'the addresses of a /64 prefix, all of which one host can use',
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8:0:1::1'],
    ['2001:db8:0:0:ffff::3'],
  ],
])('connections are limited for %s', ([, addresses, closed]) => {
  expect(connectFrom(addresses, 2)).toEqual(closed)
})
