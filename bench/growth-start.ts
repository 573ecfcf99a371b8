import { spawn, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/server.ts'
import type { Library } from './growth-library.ts'
import { percentiles, printLine } from './statistics.ts'

const starts = 5
const idleMs = 10_000

/**
 * Prints the time from the start of a process to the first 200 of `/readyz`, and its resident memory after ten idle
 * seconds.
 */
export async function measureStart({ directory }: Library): Promise<void> {
  const times: number[] = []
  let resident = 0
  for (let nth = 1; nth <= starts; nth++) {
    const port = await freePort()
    const started = performance.now()
    const child = spawn(process.execPath, [fileURLToPath(new URL('../bin/lectern.cjs', import.meta.url)), 'start'], {
      env: { ...process.env, PORT: `${port}`, LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent' },
      stdio: 'ignore',
    })
    try {
      await ready(`http://127.0.0.1:${port}/readyz`, child)
      times.push(performance.now() - started)
      if (nth === starts) {
        await delay(idleMs)
        resident = await residentBytes(child.pid)
      }
    } finally {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.kill('SIGTERM')) await ended
    }
  }
  const { p50 } = percentiles(times)
  printLine(`ready in ${(p50 / 1000).toFixed(2)} s, the middle of ${starts} starts (≤ 1.5 s)`)
  printLine(`${Math.round(resident / 1e6)} MB resident after ${idleMs / 1000} s idle (≤ 200 MB)`)
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => null)
    if (answer?.status === 200) return
    await delay(5)
  }
}

/** Resident memory as reported by Linux; NaN on other systems. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024
}
