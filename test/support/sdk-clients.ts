import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { callback } from './oauth.ts'

/** What a program keeps between its runs. */
export interface Kept {
  client?: any
  tokens?: any
  verifier?: string
  discovery?: any
  /** Where it wants to send the browser. */
  wanted?: URL
}

/** A program built on the official client of one generation. */
export interface SdkProgram {
  kept: Kept
  /** Tries to connect and to list the tools; `null` when a person has to sign in first. */
  tools(): Promise<string[] | null>
  /** Calls a tool; `null` when a person has to allow more first. */
  call(name: string, args: Record<string, unknown>): Promise<any>
  /** The browser came back with these parameters. */
  finish(params: URLSearchParams): Promise<void>
  close(): Promise<void>
}

interface Options {
  scope?: string
  clientMetadataUrl?: string
  redirect?: string
  /** No refresh tokens: the older client asks people for more only then. */
  noRefresh?: true
}

/** How each generation of the official client makes a program. */
export const sdkPrograms = [
  ['the 1.x client', (url: string, options?: Options) => sdkProgram(legacy, url, options)],
  ['the 2.x client', (url: string, options?: Options) => sdkProgram(modern, url, options)],
] as const

interface Parts {
  client: Pick<ModernClient, 'close'> & {
    connect(transport: any): Promise<void>
    listTools(): Promise<{ tools: { name: string }[] }>
    callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  }
  transport: { finishAuth(params: any, iss?: string): Promise<void> }
}

const legacy = (url: string, authProvider: any): Parts => ({
  client: new LegacyClient({ name: 'test', version: '1' }) as Parts['client'],
  transport: new LegacyTransport(new URL(url), { authProvider }),
})

const modern = (url: string, authProvider: OAuthClientProvider): Parts => ({
  client: new ModernClient({ name: 'test', version: '1' }) as unknown as Parts['client'],
  transport: new ModernTransport(new URL(url), { authProvider }),
})

function sdkProgram(make: (url: string, provider: any) => Parts, url: string, options: Options = {}): SdkProgram {
  const kept: Kept = {}
  const provider = providerOf(kept, options)
  let parts: Parts | null = null
  async function open(): Promise<Parts> {
    if (parts) return parts
    const made = make(url, provider)
    last = made
    await made.client.connect(made.transport)
    parts = made
    return made
  }
  let last: Parts | null = null
  return {
    kept,
    tools: () =>
      unlessUnauthorized(async () => {
        const { client } = await open()
        return (await client.listTools()).tools.map(({ name }) => name)
      }),
    call: (name, args) =>
      unlessUnauthorized(async () => {
        const { client } = await open()
        return client.callTool({ name, arguments: args })
      }),
    async finish(params) {
      if (make === modern) await last?.transport.finishAuth(params)
      else await last?.transport.finishAuth(params.get('code'))
      await parts?.client.close()
      parts = null
    },
    async close() {
      await parts?.client.close()
    },
  }
}

async function unlessUnauthorized<T>(act: () => Promise<T>): Promise<T | null> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Error && /unauthorized/i.test(`${error.name} ${error.constructor.name} ${error.message}`)) {
      return null
    }
    throw error
  }
}

function providerOf(kept: Kept, { scope, clientMetadataUrl, redirect = callback, noRefresh }: Options) {
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
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
    redirectToAuthorization: (address: URL) => void (kept.wanted = address),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (state: unknown) => void (kept.discovery = state),
    discoveryState: () => kept.discovery,
  }
}
