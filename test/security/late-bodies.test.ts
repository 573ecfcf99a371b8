import { request as sendRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { revokeAccess } from '../../src/accounts/revoke-access.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { acceptHeaders } from '../support/mcp-messages.ts'
import { openConsent, registerProgram } from '../support/oauth.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const boundary = 'a-boundary'
const json = { 'Content-Type': 'application/json' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

interface Sending {
  method?: 'PUT'
  path: string
  headers: Record<string, string>
  body: string
}

/** Sends a request without the last byte of its body; `finish` sends that and returns the answer. */
function sendAlmost({ method, path, headers, body }: Sending) {
  const length = { 'Content-Length': String(Buffer.byteLength(body)) }
  const request = sendRequest(server.baseUrl + path, {
    method: method ?? 'POST',
    headers: { ...headers, ...length },
    agent: false,
  })
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await readText(response) })
    })
  })
  // Awaited in `finish` only.
  answer.catch(() => {})
  request.write(body.slice(0, -1))
  return {
    finish() {
      request.end(body.slice(-1))
      return answer
    },
  }
}

/** Requests with every kind of credential of a person, and every kind of body. */
async function requestsOf({ account, browser }: WebPerson): Promise<Record<string, Sending>> {
  const { key } = await createApiKey(server.running.opened.services, account.id, {})
  const program = await registerProgram(server)
  const { access_token } = await program.connect(browser)
  const { page, path } = await openConsent(browser, program.authorizeUrl())
  const csrf = hiddenFields((await browser.get('/keys')).text, '/keys')['csrf'] ?? ''
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const withKey = { Authorization: `Bearer ${key}` }
  const withToken = { Authorization: `Bearer ${access_token}` }
  const withSession = { Cookie: cookies, Origin: server.baseUrl }
  const call = { name: 'create_markdown_item', arguments: { title: 'Late', content: '# Late' } }
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  const fields = (values: Record<string, string>) => String(new URLSearchParams(values))
  const files = [
    `--${boundary}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="form.md"\r\n`,
    `Content-Type: text/markdown\r\n\r\n# In a form\r\n--${boundary}--\r\n`,
  ]
  return {
    'a call over REST': { path: '/api/v1/shelves', headers: { ...withKey, ...json }, body: '{"name":"Late"}' },
    'a file over REST': { method: 'PUT', path: '/api/v1/upload/late.md', headers: withKey, body: '# Late' },
    'a call over MCP with a key': {
      path: '/api/v1/mcp',
      headers: { ...withKey, ...json, ...acceptHeaders },
      body: message,
    },
    'a call over MCP with a token': {
      path: '/api/v1/mcp',
      headers: { ...withToken, ...json, ...acceptHeaders },
      body: message,
    },
    'a key with the session over REST': {
      path: '/api/v1/auth/keys',
      headers: { ...withSession, ...json, 'X-CSRF-Token': csrf },
      body: '{"name":"Late"}',
    },
    'a key with the form': {
      path: '/keys',
      headers: { ...withSession, ...form },
      body: fields({ csrf, scopes: 'library:read', name: 'Late' }),
    },
    'a consent': {
      path,
      headers: { ...withSession, ...form },
      body: fields({ ...hiddenFields(page.text, path), scopes: 'library:read', answer: 'allow' }),
    },
    'a form with a file': {
      path: '/add',
      headers: { ...withSession, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      body: files.join(''),
    },
  }
}

/** Sends almost all of each request, waits longer than a fast body takes, and finishes them after `meanwhile`. */
async function finishAfter(person: WebPerson, meanwhile: () => Promise<unknown>) {
  const requests = Object.entries(await requestsOf(person))
  const sent = requests.map(([name, request]) => [name, sendAlmost(request)] as const)
  await delay(1300)
  await meanwhile()
  return Promise.all(sent.map(async ([name, { finish }]) => ({ name, ...(await finish()) })))
}

describe('a request whose body is completed later', () => {
  let person: WebPerson
  beforeAll(async () => {
    person = await signedInPerson(server)
  })

  test('is answered while its credential is valid', async () => {
    const answers = await finishAfter(person, () => Promise.resolve())
    expect(answers.filter(({ status }) => status >= 400)).toEqual([])
  })

  test('is refused once its credential is revoked, and changes nothing', async () => {
    const { services, database } = server.running.opened
    const { id } = person.account
    const count = async () => ({
      keys: (await services.accounts.listKeys(id)).filter(({ revokedAt }) => revokedAt === null).length,
      grants: await database.db.collection('oauth').countDocuments({ accountId: id, kind: 'Grant' }),
      books: (await services.books.listLibrary(id)).length,
    })
    const { books } = await count()
    const answers = await finishAfter(person, async () => {
      await services.webSessions.endAll(id)
      await revokeAccess(services, id)
    })
    expect(answers.map(({ name, status }) => [name, status])).toEqual(answers.map(({ name }) => [name, 401]))
    expect(await count()).toEqual({ keys: 0, grants: 0, books })
  })
})
