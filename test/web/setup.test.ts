import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { send } from '../support/transports.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'
import { password, signIn } from '../support/signed-in-person.ts'

const person = { email: 'First@Lectern.Example', name: 'Ada', password, again: password }

async function claimPath(server: TestServer): Promise<string> {
  const { url } = await issueLink(server.running.opened.services, 'claim', null)
  expect(url.startsWith(`${server.baseUrl}/setup?token=`)).toBe(true)
  return url.slice(server.baseUrl.length)
}

async function asClaimed<T>(run: (server: TestServer) => Promise<T>, environment: Record<string, string> = {}) {
  const server = await startTestServer({ LECTERN_ROLE: 'web', ...environment })
  try {
    return await run(server)
  } finally {
    await server.close()
  }
}

describe('the claim of a server', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startTestServer({ LECTERN_ROLE: 'web' })
  })
  afterAll(() => server.close())

  test.for([
    ['without a token', '/setup'],
    ['with a wrong token', '/setup?token=AAAA'],
  ] as const)('%s shows no form', async ([, path]) => {
    const page = await webClient(server).get(path)
    expect(page.status).toBe(403)
    expect(page.text).toContain('lectern setup-link')
    expect(page.text).not.toContain('<form')
  })

  test.for(['/', '/sign-in'])('%s says where the setup link is', async (path) => {
    const { text } = await webClient(server).get(path)
    expect(text).toContain('This server has no account yet.')
    expect(text).toContain('<code>lectern setup-link</code>')
  })

  test('setup refuses the token of another link', async () => {
    const { url } = await issueLink(server.running.opened.services, 'reset', null)
    const token = new URL(url).searchParams.get('token')
    expect((await webClient(server).get(`/setup?token=${token}`)).status).toBe(403)
  })

  test('setup refuses an expired link', async () => {
    const path = await claimPath(server)
    const { db } = server.running.opened.database
    await db.collection('tickets').updateMany({}, { $set: { expiresAt: new Date(Date.now() - 1) } })
    const answer = await webClient(server).get(path)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('<code>lectern setup-link</code>')
  })

  test.for([
    ['no address', { email: '' }, 'email'],
    ['a short password', { password: 'short', again: 'short' }, 'password'],
    ['a password that is easy to guess', { password: 'password1', again: 'password1' }, 'password'],
    ['two passwords', { again: 'four words of yours' }, 'again'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
    ['a name with an invisible character', { name: 'A\u202eb' }, 'name'],
  ] as const)('names the field with %s, keeps the typed text except the passwords', async ([, change, field]) => {
    const answer = await webClient(server).submit(await claimPath(server), '/setup', { ...person, ...change })
    expect(answer.status).toBe(400)
    expect(answer.text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
    expect(answer.text).toContain(`value="${'name' in change ? change.name : 'Ada'}"`)
    expect(answer.text).not.toContain(password)
    expect(await server.running.opened.services.accounts.hasAny()).toBe(false)
  })

  test('concurrent setups create one administrator', async () => {
    const paths = await Promise.all([1, 2, 3].map(() => claimPath(server)))
    const answers = await Promise.all(
      [...paths, ...paths].map((path, index) =>
        webClient(server).submit(path, '/setup', { ...person, email: `first${index}@lectern.example` }),
      ),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect(made).toHaveLength(1)
    const rows = await server.running.opened.database.db.collection('accounts').find().toArray()
    expect(rows).toMatchObject([{ admin: true, first: true, name: 'Ada' }])
    for (const { status, text } of answers) if (status !== 200) expect(text).toContain('already set up')
  })

  test('setup cannot be repeated', async () => {
    const page = await webClient(server).get(await claimPath(server))
    expect(page.status).toBe(409)
    expect(page.text).toContain('already set up')
  })
})

test('setup signs in the administrator and shows a working key once', () =>
  asClaimed(async (server) => {
    const browser = webClient(server)
    const answer = await browser.submit(await claimPath(server), '/setup', person)
    const key = /lectern_[0-9A-Za-z]{40}/.exec(answer.text)?.[0] as string
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.text).toContain('href="/add"')
    for (const path of ['/', '/sign-in'])
      expect((await webClient(server).get(path)).text).not.toContain('This server has no account yet.')
    const { body } = await send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })
    expect(body).toMatchObject({ email: 'first@lectern.example', name: 'Ada' })
    expect((await browser.get('/account')).text).toContain('Administrator')
    expect((await browser.get('/keys')).text).not.toContain(key)
    const repeated = await browser.get('/setup?token=')
    expect(repeated.text).toMatch(/already set up[^]*You are signed in\.[^]*href="\/keys"/)
  }))

test('an account created on the command line ends setup', () =>
  asClaimed(async (server) => {
    const browser = webClient(server)
    const path = await claimPath(server)
    const hidden = hiddenFields((await browser.get(path)).text, '/setup')
    await server.createPerson()
    const answer = await browser.post('/setup', { ...hidden, ...person })
    expect(answer.status).toBe(409)
    expect(await server.running.opened.services.accounts.byEmail(person.email)).toBeNull()
  }))

test('the environment variables create the first account once', () =>
  asClaimed(
    async (server) => {
      const account = await server.running.opened.services.accounts.byEmail('admin@lectern.example')
      expect(account).toMatchObject({ admin: true })
      const browser = webClient(server)
      expect((await signIn(browser, 'admin@lectern.example', 'headless words')).status).toBe(303)
      const { ensureFirstAccount } = await import('../../src/accounts/claim-server.ts')
      const again = { email: 'other@lectern.example', password: 'headless words' }
      expect(await ensureFirstAccount(server.running.opened.services, again)).toBeNull()
    },
    { LECTERN_ADMIN_EMAIL: 'Admin@Lectern.example', LECTERN_ADMIN_PASSWORD: 'headless words' },
  ))
