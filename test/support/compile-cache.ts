import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Node keeps compiled modules there: a process or a thread starts in half the time. */
export const compileCacheEnvironment = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
}
