import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { callbackUrl } from './oauth.ts'

/** The state that a program keeps between runs. */
export interface SavedClientState {
  client?: any
  tokens?: any
  verifier?: string
  discovery?: any
  /** The URL to which it wants to send the browser. */
  authorizationUrl?: URL
}

/** A program based on the official client of one generation. */
export interface SdkProgram {
  saved: SavedClientState
  /** Tries to connect and to list the tools; `null` if a user must sign in first. */
  tools(): Promise<string[] | null>
  /** Calls a tool; `null` if a user must grant more first. */
  call(name: string, args: Record<string, unknown>): Promise<any>
  /** Continues after the browser has returned with these parameters. */
  finishAuthorization(params: URLSearchParams): Promise<void>
  close(): Promise<void>
}

interface SdkProgramOptions {
  scope?: string
  clientMetadataUrl?: string
  redirect?: string
  /** Without refresh tokens, because the older client requests further scopes only then. */
  noRefresh?: true
}

/** Creates a program for each generation of the official client. */
export const sdkPrograms = [
  ['the 1.x client', (url: string, options?: SdkProgramOptions) => sdkProgram(legacy, url, options)],
  ['the 2.x client', (url: string, options?: SdkProgramOptions) => sdkProgram(modern, url, options)],
] as const

interface SdkConnection {
  client: Pick<ModernClient, 'close'> & {
    connect(transport: any): Promise<void>
    listTools(): Promise<{ tools: { name: string }[] }>
    callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  }
  transport: { finishAuth(params: any, iss?: string): Promise<void> }
}

const legacy = (url: string, authProvider: any): SdkConnection => ({
  client: new LegacyClient({ name: 'test', version: '1' }),
  transport: new LegacyTransport(new URL(url), { authProvider }),
})

const modern = (url: string, authProvider: OAuthClientProvider): SdkConnection => ({
  client: new ModernClient({ name: 'test', version: '1' }),
  transport: new ModernTransport(new URL(url), { authProvider }),
})

function sdkProgram(
  make: (url: string, provider: any) => SdkConnection,
  url: string,
  options: SdkProgramOptions = {},
): SdkProgram {
  const saved: SavedClientState = {}
  const provider = createAuthProvider(saved, options)
  let connection: SdkConnection | null = null
  async function open(): Promise<SdkConnection> {
    if (connection) return connection
    const created = make(url, provider)
    lastConnection = created
    await created.client.connect(created.transport)
    connection = created
    return created
  }
  let lastConnection: SdkConnection | null = null
  return {
    saved,
    tools: () =>
      nullIfUnauthorized(async () => {
        const { client } = await open()
        return (await client.listTools()).tools.map(({ name }) => name)
      }),
    call: (name, args) =>
      nullIfUnauthorized(async () => {
        const { client } = await open()
        return client.callTool({ name, arguments: args })
      }),
    async finishAuthorization(params) {
      if (make === modern) await lastConnection?.transport.finishAuth(params)
      else await lastConnection?.transport.finishAuth(params.get('code'))
      await connection?.client.close()
      connection = null
    },
    async close() {
      await connection?.client.close()
    },
  }
}

async function nullIfUnauthorized<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Error && /unauthorized/i.test(`${error.name} ${error.constructor.name} ${error.message}`)) {
      return null
    }
    throw error
  }
}

function createAuthProvider(
  saved: SavedClientState,
  { scope, clientMetadataUrl, redirect = callbackUrl, noRefresh }: SdkProgramOptions,
) {
  return {
    redirectUrl: redirect,
    ...(clientMetadataUrl ? { clientMetadataUrl } : {}),
    clientMetadata: {
      client_name: 'An SDK program',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', ...(noRefresh ? [] : ['refresh_token'])],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope ? { scope } : {}),
    },
    state: () => 'the state',
    clientInformation: () => saved.client,
    saveClientInformation: (client: unknown) => void (saved.client = client),
    tokens: () => saved.tokens,
    saveTokens: (tokens: unknown) => void (saved.tokens = tokens),
    redirectToAuthorization: (address: URL) => void (saved.authorizationUrl = address),
    saveCodeVerifier: (verifier: string) => void (saved.verifier = verifier),
    codeVerifier: () => saved.verifier ?? '',
    saveDiscoveryState: (state: unknown) => void (saved.discovery = state),
    discoveryState: () => saved.discovery,
  }
}
