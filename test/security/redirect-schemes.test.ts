import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/app/config.ts'
import { createProgram, registerClient } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const documents = new Map<string, object>()

describe('a client may have its responses sent to', () => {
  const environment = {
    LECTERN_ROLE: 'web',
    LECTERN_TRUSTED_PROXIES: '1',
    LECTERN_OAUTH_CLIENT_HOSTS: 'apps.example',
    LECTERN_OAUTH_REDIRECT_SCHEMES: 'myeditor',
  }
  const fetchDocument = async (input: unknown) => Response.json(documents.get(String(input)))
  const server = useTestServer(environment, { fetch: fetchDocument })
  let count = 0

  const register = (redirect: string) =>
    registerClient(server, { redirect_uris: [redirect] }, { 'X-Forwarded-For': `192.0.2.${++count}` })
  /** Returns the status of an authorization of a client with a metadata document. */
  async function authorizeByDocument(redirect: string): Promise<number> {
    const id = `https://apps.example/${++count}.json`
    documents.set(id, { client_id: id, redirect_uris: [redirect], token_endpoint_auth_method: 'none' })
    return (await webClient(server).get(createProgram(server, id, redirect).authorizeUrl().href)).status
  }

  test.for([
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'https://chatgpt.com/connector_platform_oauth_redirect',
    'http://127.0.0.1:3333/callback',
    'http://localhost:6274/oauth/callback',
    'http://[::1]/callback',
    'cursor://anysphere.cursor-retrieval/oauth/user-abc/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://callback',
    'windsurf://callback',
    'claude://callback',
    'com.example.app:/oauth',
    'com.example-corp.app2://oauth/callback',
    'myeditor://callback',
  ])('%s', async (redirect) => {
    expect((await register(redirect)).status).toBe(201)
    expect(await authorizeByDocument(redirect)).toBe(303)
  })

  test.for([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://x.example/1',
    'filesystem:https://x.example/1',
    'intent://scan/#Intent;end',
    'vbscript:x',
    'view-source:https://x.example',
    'mailto:a@b.example',
    'tel:112',
    'ms-msdt:/id',
    'search-ms:query=x',
    'ws://x.example',
    'ftp://x.example/',
    'chrome://settings',
    'other://callback',
    'http://x.example/cb',
  ])('but not %s', async (redirect) => {
    const { status, body } = await register(redirect)
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
    expect(body.error_description).toMatch(/^redirect_uris must/)
    expect(await authorizeByDocument(redirect)).toBe(400)
  })

  test.for(['javascript', 'data', 'intent', 'My Editor', 'myeditor:'])('the configuration refuses %s', (scheme) => {
    expect(() => readConfig({ LECTERN_OAUTH_REDIRECT_SCHEMES: scheme })).toThrow(ConfigError)
  })
})
