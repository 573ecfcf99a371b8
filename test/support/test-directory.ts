import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryDisk = '/dev/shm'
/** The required space: many times what the tests use at once. */
const neededBytes = 4 * 1024 ** 3

/**
 * The directory for the files of this test run. It is in memory if the system has room there, because each acknowledged
 * write waits for the disk; otherwise it is in the temporary folder. It is removed after the run.
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

/** Leftovers of killed runs take memory. */
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
