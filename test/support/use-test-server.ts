import { afterAll, beforeAll } from 'vitest'
import { laterValue } from './later-value.ts'
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
  return laterValue(() => started)
}
