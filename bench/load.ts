import { Agent, request } from 'node:http'

export interface LoadRequest {
  url: string
  headers: Record<string, string>
  body: string
}

export interface LoadResult {
  perSecond: number
  /** Median and 99th percentile of the time to the last byte, ms. */
  p50: number
  p99: number
  bytes: number
}

/** Sends the same request repeatedly over `connections` keep-alive connections for `ms` milliseconds. */
export async function load(
  loadRequest: LoadRequest,
  { connections, ms }: { connections: number; ms: number },
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  let bytes = 0
  const started = performance.now()
  const end = started + ms
  const runConnection = async () => {
    while (performance.now() < end) {
      const from = performance.now()
      bytes = await send(loadRequest, agent)
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: connections }, runConnection))
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), bytes }
}

function send({ url, headers, body }: LoadRequest, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } },
      (answer) => {
        let size = 0
        answer.on('data', (chunk: Buffer) => (size += chunk.length))
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve(size) : reject(new Error(`status ${answer.statusCode}`)),
        )
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
