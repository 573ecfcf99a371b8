import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from './disk-errors.ts'

/**
 * Creates a directory and its missing parents, for their owner only. An existing directory stays as it is. Throws the
 * system's error.
 */
export function createDirectory(path: string): void {
  // Node's recursive mkdir never returns where the system creates nothing and answers ENOENT, as in /proc.
  const parent = dirname(path)
  if (!existsSync(parent)) createDirectory(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}
