import { rateLimits, type RateBucket } from '../../src/accounts/rate-limiter.ts'
import type { Tuning } from '../../src/app/services.ts'
import { testDatabaseEnvironment, startTestServer, type TestServer } from './server.ts'
import { openEmbedded } from './stores.ts'
import { openStoreProxy, type StoreProxy } from './store-proxy.ts'

export interface FlakyStoreServer {
  server: TestServer
  /** The proxy in front of its store. */
  proxy: StoreProxy
  /** The store's own address. */
  storeUrl: string
  /** Checks the invariants of the stored data, and stops everything that was started. */
  close(): Promise<void>
}

const unlimited = Object.fromEntries(Object.keys(rateLimits).map((bucket) => [bucket, 1e6])) as Record<
  RateBucket,
  number
>
let count = 0

/**
 * Starts a server without rate limits whose connection to its store can be interrupted; `impatient` as in
 * `openStoreProxy`.
 */
export async function startFlakyStoreServer(
  environment: Record<string, string> = {},
  { impatient: fastReconnect = false, ...tuning }: Partial<Tuning> & { impatient?: boolean } = {},
): Promise<FlakyStoreServer> {
  const store = await openEmbedded()
  const storeUrl = testDatabaseEnvironment(`lossy-${process.pid}-${++count}`)['LECTERN_MONGODB_URL'] ?? store.url
  const proxy = await openStoreProxy(storeUrl, { impatient: fastReconnect })
  const server = await startTestServer(
    { LECTERN_MONGODB_URL: proxy.url, ...environment },
    { rateLimits: unlimited, ...tuning },
  )
  return {
    server,
    proxy,
    storeUrl,
    async close() {
      await proxy.setMode('pass')
      await server.close()
      await proxy.close()
      await store.close()
    },
  }
}
