import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forkAndWait } from './fork-and-wait.ts'
import { testDatabaseEnvironment, freePort, startTestServer, type TestServer } from './server.ts'

export interface Replicas {
  /** Runs in this process. */
  server: TestServer
  /** Two URLs of one Lectern; the second is another process on the same store. */
  baseUrls: [string, string]
  close(): Promise<void>
}

/** Starts two processes that serve one library; `second` configures only the second one. */
export async function startReplicas(
  environment: Record<string, string> = {},
  secondEnvironment: Record<string, string> = {},
): Promise<Replicas> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-replicas-'))
  const shared = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory), ...environment }
  const server = await startTestServer(shared)
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const secondDefaults = {
    PORT: String(port),
    LECTERN_BASE_URL: baseUrl,
    LECTERN_ROLE: 'web',
    LECTERN_LOG_LEVEL: 'silent',
  }
  const env = { ...shared, ...secondDefaults, TEST_LEASE_MS: '30000', ...secondEnvironment }
  const { child, ended } = await forkAndWait('killable-server.ts', { env })
  return {
    server,
    baseUrls: [server.baseUrl, baseUrl],
    async close() {
      child.kill('SIGKILL')
      await ended
      await server.close()
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
