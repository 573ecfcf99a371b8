import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What every process that a test starts has in its environment. */
export const childEnvironment = {
  /** Node keeps compiled modules there: a process or a thread starts in half the time. */
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
  /** Servers note down there that they run: no test meets one of this machine's user. */
  XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? join(tmpdir(), 'lectern-test-state'),
}
