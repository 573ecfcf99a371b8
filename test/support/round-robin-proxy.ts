import { createServer, request } from 'node:http'
import { freePort } from './server.ts'

export interface RoundRobinProxy {
  baseUrl: string
  /** The number of requests that each process has answered. */
  counts: number[]
  close(): Promise<void>
}

/** A proxy in front of several processes that forwards each request to the next one. */
export async function startRoundRobinProxy(port: number, targets: () => readonly string[]): Promise<RoundRobinProxy> {
  const counts: number[] = []
  let nextIndex = 0
  const proxy = createServer((incoming, outgoing) => {
    const all = targets()
    const index = nextIndex++ % all.length
    counts[index] = (counts[index] ?? 0) + 1
    const target = new URL(incoming.url ?? '/', all[index])
    const headers = { ...incoming.headers, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'elsewhere.example' }
    const forwarded = request(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.once('error', () => outgoing.writeHead(502).end())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    counts,
    async close() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

/** Reserves the base URL of a server that is started later. */
export async function reserveAddress(): Promise<{ port: number; baseUrl: string }> {
  const port = await freePort()
  return { port, baseUrl: `http://127.0.0.1:${port}` }
}
