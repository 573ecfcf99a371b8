import { getCompileCacheDir } from 'node:module'

/** Node's permissions of this process. The TypeScript library lacks `drop`, as do the first versions of Node 24. */
interface Permission {
  has(scope: string, reference?: string): boolean
  drop?(scope: string): void
}

/** True if this version of Node lets a process drop a permission. */
export function canDropWritePermission(): boolean {
  return typeof permission()?.drop === 'function'
}

/**
 * Drops the write permission permanently. Call it after loading the code and before reading a file. Only a process with
 * compiled code has the permission.
 */
export function dropWritePermission(): void {
  const directory = getCompileCacheDir()
  if (directory === undefined) return
  permission()?.drop?.('fs.write')
  if (permission()?.has('fs.write', directory)) process.exit(1)
}

function permission(): Permission | undefined {
  return (process as { permission?: Permission }).permission
}
