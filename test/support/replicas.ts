import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCacheEnvironment } from './server-process.ts'
import { testDatabaseEnvironment, freePort, startTestServer, type TestServer } from './server.ts'

const serverScript = fileURLToPath(new URL('killable-server.ts', import.meta.url))

export interface Replicas {
  /** In this process. */
  server: TestServer
  /** Two addresses of one Lectern; the second is another process on the same store. */
  baseUrls: [string, string]
  close(): Promise<void>
}

/** Starts two processes that serve one library; `second` is for the second one alone. */
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
  const env = { ...compileCacheEnvironment, ...shared, ...secondDefaults, TEST_LEASE_MS: '30000', ...secondEnvironment }
  const child = fork(serverScript, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const [message] = await Promise.race([once(child, 'message'), ended])
  if (message !== 'ready') throw new Error(`The replica ended before it was ready (${child.exitCode})`)
  return {
    server,
    baseUrls: [server.baseUrl, baseUrl],
    async close() {
      child.kill('SIGKILL')
      await ended
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
