import { afterAll, beforeAll } from 'vitest'
import { startTestServer, type TestServer } from './server.ts'

/**
 * Starts a server before the tests of a file or of a `describe`, and closes it afterwards. Tests and hooks can use the
 * returned server; its properties cannot be read before.
 */
export function useTestServer(...options: Parameters<typeof startTestServer>): TestServer {
  let started: TestServer | undefined
  beforeAll(async () => {
    started = await startTestServer(...options)
  })
  afterAll(() => started?.close())
  return new Proxy({} as TestServer, {
    get(_, name) {
      if (!started) throw new Error('The server starts in a beforeAll hook: use it in tests and later hooks.')
      return Reflect.get(started, name)
    },
  })
}
