import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memoryDisk = '/dev/shm'
/** What the tests may hold there at once, many times over. */
const neededBytes = 4 * 1024 ** 3

/**
 * Where the tests of this run keep their files: in memory where the system has room for them there, as each acknowledged write
 * waits for the disk; else where temporary files are kept.
 */
export const testDirectory = mkdtempSync(join(hasRoomInMemory() ? memoryDisk : tmpdir(), 'lectern-'))

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryDisk)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}

process.once('exit', () => rmSync(testDirectory, { recursive: true, force: true }))
