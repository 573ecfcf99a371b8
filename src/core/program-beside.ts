import { extname } from 'node:path'

/** The URL of a program beside a module, for a thread or a process: `.ts` in a clone, `.js` where the sources were compiled. */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(name + extname(moduleUrl), moduleUrl)
}
