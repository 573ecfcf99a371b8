import { getCompileCacheDir } from 'node:module'

/** Node's permissions of this process; the compiler's library does not know `drop`, which the first versions of Node 24 lack. */
interface Permission {
  has(scope: string, reference?: string): boolean
  drop?(scope: string): void
}

/** Whether this version of Node lets a process give up a right. */
export function canGiveUpWriting(): boolean {
  return typeof permission()?.drop === 'function'
}

/**
 * Gives up the right to write, for good: call it when the code is loaded and before a file is looked at. A process has that right only
 * where it got compiled code.
 */
export function giveUpWriting(): void {
  const directory = getCompileCacheDir()
  if (directory === undefined) return
  permission()?.drop?.('fs.write')
  if (permission()?.has('fs.write', directory)) process.exit(1)
}

function permission(): Permission | undefined {
  return (process as { permission?: Permission }).permission
}
