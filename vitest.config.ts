import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { childEnvironment } from './test/support/child-environment.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { testDirectory } from './test/support/test-directory.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Tests wait for servers, processes and clocks: three workers keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // What the files import is loaded once for each worker; no file leaves anything behind in it.
    isolate: false,
    // The thread of each embedded store, and each process that a test starts, finds its modules compiled.
    env: { ...childEnvironment, TMPDIR: testDirectory, XDG_STATE_HOME: join(testDirectory, 'state') },
  },
})
