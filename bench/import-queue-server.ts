import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createAccount } from '../src/accounts/create-account.ts'
import { createApiKey } from '../src/accounts/create-api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { openServices } from '../src/app/services.ts'
import { freePort } from '../test/support/server.ts'

const sampleIntervalMs = 50

/** The email address of the account. */
export const importsEmail = 'imports@lectern.example'

/** A server in a separate process, with an account; Linux only. */
export interface ImportServer {
  baseUrl: string
  key: string
  pid: number
  /** Resident memory of the server, MB. */
  memory(): number
  /** Peak resident memory since the last call, of the server and of its largest reading process, MB. */
  peakMemory(): { server: number; child: number }
  stop(): Promise<void>
}

/** Starts a server on a new data directory with an account and a key. */
export async function startImportServer(directory: string): Promise<ImportServer> {
  const key = await createKey(directory)
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const address = { PORT: String(port), LECTERN_BASE_URL: baseUrl, LECTERN_DATA_DIR: directory }
  const child = spawn(process.execPath, [fileURLToPath(new URL('../src/admin/main.ts', import.meta.url)), 'start'], {
    env: { ...process.env, ...address, LECTERN_LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  })
  while (!(await fetch(`${baseUrl}/readyz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    await delay(20)
  }
  // Compilation happens once after an update, so it is not measured.
  while (!(await hasCompiledReaders(directory))) await delay(100)
  const { pid = 0 } = child
  const peak = { server: 0, child: 0 }
  const sample = () => {
    peak.server = Math.max(peak.server, megabytes(pid))
    for (const each of childrenOf(pid)) peak.child = Math.max(peak.child, megabytes(each))
  }
  const timer = setInterval(sample, sampleIntervalMs)
  return {
    baseUrl,
    key,
    pid,
    memory: () => megabytes(pid),
    peakMemory() {
      const seen = { ...peak }
      peak.server = peak.child = 0
      return seen
    },
    async stop() {
      clearInterval(timer)
      const ended = once(child, 'exit')
      if (child.kill('SIGTERM')) await ended
    },
  }
}

/** True if the code of reading processes has been compiled. */
async function hasCompiledReaders(directory: string): Promise<boolean> {
  const names = await readdir(join(directory, 'compiled', 'readers')).catch(() => [])
  return names.some((name) => !name.includes('-'))
}

async function createKey(directory: string): Promise<string> {
  const opened = await openServices(readConfig({ LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent' }))
  try {
    const { id } = await createAccount(opened.services, { email: importsEmail })
    return (await createApiKey(opened.services, id, {})).key
  } finally {
    await opened.close()
  }
}

function megabytes(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))?.[1] ?? 0) / 1024)
}

/** The child processes of all threads of a process. */
function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.flatMap((thread) =>
      readProc(`${pid}/task/${thread}/children`).trim().split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    return ''
  }
}
