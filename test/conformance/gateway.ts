import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Gateway {
  /** The URL at which clients reach the server with a credential. */
  url: string
  close(): Promise<void>
}

/** A proxy for clients that cannot sign in: it adds a key to MCP requests without a credential. */
export async function openGateway(): Promise<Gateway & { forward(port: number, key: string): void }> {
  let target = { port: 0, key: '' }
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const onward = send(
      {
        host: '127.0.0.1',
        port: target.port,
        method,
        path,
        headers: path?.startsWith('/api/v1/mcp') ? { authorization: `Bearer ${target.key}`, ...headers } : headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    forward: (port, key) => void (target = { port, key }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
