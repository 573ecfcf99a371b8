import { startTestServer, type TestServer } from '../support/server.ts'
import { openGateway } from './gateway.ts'
import { conformanceProfile } from './profile.ts'

export interface ConformanceStack {
  server: TestServer
  /** The address of the server as the suite sees it, which is its base URL too. */
  url: string
  /** Gives the suite's next calls to a new account, whose rate limits are fresh. */
  switchAccount(): Promise<void>
  close(): Promise<void>
}

/** A whole Lectern with the suite's fixtures, behind a gateway that signs in. */
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
