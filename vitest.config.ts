import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { childEnvironment } from './test/support/child-environment.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { testDirectory } from './test/support/test-directory.ts'

// Workers and the processes that tests start inherit it, and use the compile cache from their first module on.
process.env['NODE_COMPILE_CACHE'] = childEnvironment.NODE_COMPILE_CACHE

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Node loads the sources as it does in production, which takes less processor time than the loader of Vite. Tests
    // mock no modules.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Tests wait for servers, processes and clocks, so three workers keep two cores busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Each worker loads imported modules once; test files must leave no state behind in them.
    isolate: false,
    env: { ...childEnvironment, TMPDIR: testDirectory, XDG_STATE_HOME: join(testDirectory, 'state') },
  },
})
