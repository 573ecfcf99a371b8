import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from './child-environment.ts'
import type { Measured, Order, StoredBook } from './measured-order.ts'
import type { Person } from './server.ts'

/** A server in a separate process that is attacked and measures its own costs. */
export interface MeasuredServer {
  baseUrl: string
  createPerson(): Promise<Person>
  /** Stores a book of equal pages; returns its id. */
  storeBook(book: StoredBook): Promise<string>
  /**
   * Runs an attack while another account makes calls; returns the costs of the server and the latencies of these calls.
   */
  during<T>(victim: Person, attack: () => Promise<T>): Promise<AttackOutcome<T>>
  close(): Promise<void>
}

export interface AttackOutcome<T> extends Measured {
  result: T
  /** Latencies of the other account's calls. */
  waitedMs: { calls: number; p50: number; p99: number; max: number }
}

const program = fileURLToPath(new URL('measured-server.ts', import.meta.url))

/** Starts a measured server on the embedded store, without rate limits. */
export async function startMeasuredServer(execArgv: readonly string[] = []): Promise<MeasuredServer> {
  const env = { ...process.env, ...childEnvironment }
  const child = fork(program, { env, execArgv: [...execArgv] })
  const exited = once(child, 'exit')
  const next = async () => {
    const [message] = await Promise.race([once(child, 'message'), exited])
    if (typeof message !== 'object' || message === null) throw new Error('The server has ended')
    return (message as { answer: unknown }).answer
  }
  const tell = (order: Order) => {
    const answer = next()
    child.send(order)
    return answer
  }
  const baseUrl = (await next()) as string
  return {
    baseUrl,
    createPerson: () => tell({ kind: 'person' }) as Promise<Person>,
    storeBook: (book) => tell({ kind: 'book', book }) as Promise<string>,
    async during(victim, attack) {
      await tell({ kind: 'begin' })
      const calls = callUntilStopped(baseUrl, victim)
      const result = await attack()
      const waitedMs = await calls.stop()
      return { result, waitedMs, ...((await tell({ kind: 'report' })) as Measured) }
    },
    async close() {
      child.disconnect()
      await exited
    },
  }
}

const pauseMs = 20

/** Calls a cheap route repeatedly, one call at a time. */
function callUntilStopped(baseUrl: string, { key }: Person) {
  const latencies: number[] = []
  const controller = new AbortController()
  const run = async () => {
    while (!controller.signal.aborted) {
      const start = performance.now()
      const response = await fetch(`${baseUrl}/api/v1/items`, { headers: { Authorization: `Bearer ${key}` } })
      await response.arrayBuffer()
      latencies.push(performance.now() - start)
      await delay(pauseMs)
    }
  }
  const running = run()
  return {
    async stop() {
      controller.abort()
      await running
      const sorted = latencies.toSorted((a, b) => a - b)
      const at = (share: number) =>
        Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
      return { calls: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
    },
  }
}
