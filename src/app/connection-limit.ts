import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress } from '../transport/client-address.ts'

export interface ConnectionLimits {
  /** Maximum number of open connections. */
  max: number
  /** Maximum number of open connections per client address (IPv6: per /64 prefix); null behind proxies, where all clients share an address. */
  maxPerAddress: number | null
}

/** The limit that closed a connection. */
export type ConnectionRefusal = 'all' | 'address'

/** Closes connections beyond the limits at once, and calls `onRefused` for each. */
export function limitConnections(
  server: Server,
  { max, maxPerAddress }: ConnectionLimits,
  onRefused: (reason: ConnectionRefusal) => void,
): void {
  server.maxConnections = max
  server.on('drop', () => onRefused('all'))
  if (maxPerAddress === null) return
  const openByAddress = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    if (socket.remoteAddress === undefined) return
    const address = clientAddress(socket.remoteAddress, null, 0)
    const open = openByAddress.get(address) ?? 0
    if (open >= maxPerAddress) {
      onRefused('address')
      return void socket.destroy()
    }
    openByAddress.set(address, open + 1)
    socket.once('close', () => {
      const left = (openByAddress.get(address) ?? 1) - 1
      if (left > 0) openByAddress.set(address, left)
      else openByAddress.delete(address)
    })
  })
}
