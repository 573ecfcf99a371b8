import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryDisk = '/dev/shm'
/** What the tests may hold there at once, many times over. */
const neededBytes = 4 * 1024 ** 3

/**
 * Where the tests of this run keep their files: in memory where the system has room for them there, as each acknowledged write
 * waits for the disk; else where temporary files are kept. It is removed when the run ends.
 */
export const testDirectory = mkdtempSync(join(parentDirectory(), `lectern-run-${process.pid}-`))
process.once('exit', () => rmSync(testDirectory, { recursive: true, force: true }))

function parentDirectory(): string {
  try {
    removeAbandoned()
    const { bavail, bsize } = statfsSync(memoryDisk)
    return bavail * bsize >= neededBytes ? memoryDisk : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** What killed runs have left takes memory. */
function removeAbandoned(): void {
  for (const name of readdirSync(memoryDisk)) {
    const pid = /^lectern-run-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(memoryDisk, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
