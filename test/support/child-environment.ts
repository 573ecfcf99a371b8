import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Environment variables of every process that a test starts. */
export const childEnvironment = {
  /** Node's compile cache, with which a process or a thread starts in half the time. */
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
  /** Servers record here that they run. A separate folder keeps tests away from servers of this machine's user. */
  XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? join(tmpdir(), 'lectern-test-state'),
}
