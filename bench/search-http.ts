import { openTarget, sendOnce } from './growth-calls.ts'
import { Agent } from 'node:http'

interface Searches {
  directory: string
  key: string
  queries: readonly string[]
}

/** Milliseconds per search. */
interface SearchTimings {
  cpu: number
  wall: number
  /** CPU time of the first searches of a process. */
  first: number
}

const firstCalls = 20

/** Searches over HTTP with an API key, each query twice, in a separate server; only the second round counts. */
export async function measureCalls({ directory, key, queries }: Searches): Promise<SearchTimings> {
  const target = await openTarget(directory)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (query: string) =>
    sendOnce(
      { agent, key, port: target.port },
      { method: 'GET', path: `/api/v1/items/search?limit=10&query=${encodeURIComponent(query)}` },
    )
  const timed = async (some: readonly string[]) => {
    const [cpu, started] = [await target.cpu(), performance.now()]
    for (const query of some) await send(query)
    const wall = performance.now() - started
    return { cpu: ((await target.cpu()) - cpu) / 1000 / some.length, wall: wall / some.length }
  }
  try {
    const first = await timed(queries.slice(0, firstCalls))
    await timed(queries)
    return { ...(await timed(queries)), first: first.cpu }
  } finally {
    agent.destroy()
    await target.stop()
  }
}
