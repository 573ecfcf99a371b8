import { extname } from 'node:path'

/**
 * The URL of a program in the folder of a module, to run as a thread or process: `.ts` in a clone, `.js` in a compiled
 * package.
 */
export function siblingProgram(moduleUrl: string, name: string): URL {
  return new URL(name + extname(moduleUrl), moduleUrl)
}
