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
    // Tests wait for servers, processes and clocks, so three workers keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Each worker loads imported modules once; test files must leave no state behind in them.
    isolate: false,
    // Threads of embedded stores and processes started by tests use the compile cache.
    env: { ...childEnvironment, TMPDIR: testDirectory, XDG_STATE_HOME: join(testDirectory, 'state') },
  },
})
