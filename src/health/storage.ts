import { statfs } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import type { FileStore } from '../files/store.ts'
import { formatSize } from '../text/format-size.ts'
import { unwell, well, type HealthCheck } from './check.ts'

/** Checks that the database answers. */
export function databaseCheck(ping: () => Promise<void>): HealthCheck {
  return {
    name: 'database',
    title: 'Database',
    look: async () => well(`The database answers in ${await timed(ping)} ms.`),
    remedy: 'See the log of the server, and that the database runs and can be reached from here.',
  }
}

/** Checks that the file store answers. */
export function filesCheck(files: Pick<FileStore, 'assertReady'>): HealthCheck {
  return {
    name: 'files',
    title: 'Files',
    look: async () => well(`The file store answers in ${await timed(() => files.assertReady())} ms.`),
    remedy: 'See the log of the server, and that the folder or the bucket exists and may be read and written.',
  }
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await run()
  return Math.ceil(performance.now() - start)
}

/** With less free space, the largest uploads and the next backups may fail. */
const minFreeBytes = 1_000_000_000

/** Checks the free space of folders, each with its purpose, such as `the data directory`. */
export function diskCheck(folders: readonly (readonly [purpose: string, path: string])[]): HealthCheck {
  return {
    name: 'disk',
    title: 'Disk space',
    async look() {
      const spaces = await Promise.all(folders.map(async ([purpose, path]) => ({ purpose, ...(await spaceOf(path)) })))
      const detail = spaces.map(
        ({ purpose, free, size }) => `${formatSize(free)} of ${formatSize(size)} are free in ${purpose}.`,
      )
      if (spaces.every(({ free }) => free >= minFreeBytes)) return well(detail.join(' '))
      return unwell(
        detail.join(' '),
        'Free some space or enlarge the disk. While it is full, writes are refused; reading still works.',
      )
    },
    remedy: 'See that the folder exists and can be read.',
  }
}

/** The bytes that this process may still write on the file system of a folder, and the bytes that it has. */
async function spaceOf(path: string): Promise<{ free: number; size: number }> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { free: bavail * bsize, size: blocks * bsize }
}
