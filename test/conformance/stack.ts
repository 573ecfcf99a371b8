import { startTestServer, type TestServer } from '../support/server.ts'
import { openGateway } from './gateway.ts'
import { conformanceProfile } from './profile.ts'

export interface ConformanceStack {
  server: TestServer
  /** The URL of the server for the suite, which is also its base URL. */
  url: string
  /** Uses a new account for the suite's next calls, so that they have fresh rate limits. */
  switchAccount(): Promise<void>
  close(): Promise<void>
}

/** A Lectern server with the suite's fixtures, behind a gateway that adds credentials. */
export async function startConformanceStack(options: { sessions: boolean }): Promise<ConformanceStack> {
  const gateway = await openGateway()
  const server = await startTestServer(
    { LECTERN_ROLE: 'web', LECTERN_BASE_URL: gateway.url },
    conformanceProfile(options),
  )
  async function switchAccount(): Promise<void> {
    gateway.forward(server.running.port, (await server.createPerson()).key)
  }
  await switchAccount()
  return {
    server,
    url: gateway.url,
    switchAccount,
    async close() {
      await gateway.close()
      await server.close()
    },
  }
}
