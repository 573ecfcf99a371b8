import { spawnSync } from 'node:child_process'
import type { SystemNeed } from './system-needs.ts'

/** A program of a Debian package. */
export function hasProgram(program: string, debianPackage: string): SystemNeed {
  return {
    present: spawnSync('which', [program]).status === 0,
    remedy: `needs ${program}: apt-get install ${debianPackage}`,
  }
}
