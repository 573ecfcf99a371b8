import { afterAll, beforeAll, expect, test } from 'vitest'
import { wordsAboutPlan } from '../../src/web/plan-words.ts'
import { makeBook } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { send } from '../support/transports.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

let server: TestServer

beforeAll(async () => {
  const small = {
    tier: 'SMALL',
    tierDisplay: 'Small & new',
    itemLimit: 1,
    monthlyReadLimit: 1234,
    previewPages: 1,
    shelfLimit: 1,
  }
  server = await startTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment(small)) })
})
afterAll(() => server.close())

const cards = (page: string) => [...page.matchAll(/<li class="(plan[^"]*)">([\s\S]*?)<\/li>/g)]

test('everybody can see the plans of this server and their limits', async () => {
  const { status, text } = await webClient(server).get('/plans')
  expect(status).toBe(200)
  const { plans } = server.running.opened.services
  expect(cards(text)).toHaveLength(plans.tiers.length)
  const small = cards(text).find(([, , body]) => body?.includes('Small'))?.[2] ?? ''
  for (const words of ['Small &amp; new', '1,234', 'First page', 'No']) expect(small).toContain(words)
  for (const words of ['is one read', 'books by others', 'Active manuscripts are']) expect(text).toContain(words)
  expect(text).toContain('Ask the administrator of this server to change your plan')
  expect(text).not.toContain('Your plan')
})

test('only administrators see the tiers, and the command that needs them', async () => {
  for (const admin of [false, true]) {
    const { browser } = await signedInPerson(server, { admin })
    const { text } = await browser.get('/plans')
    expect([text.includes('SMALL'), text.includes('lectern user plan')]).toEqual([admin, admin])
    expect(text.includes('Ask the administrator')).toBe(!admin)
  }
})

test('only the current plan is marked', async () => {
  const { browser } = await signedInPerson(server, { plan: 'SMALL' })
  const { text } = await browser.get('/plans')
  const own = cards(text).filter(([, name, body]) => name === 'plan own' && body?.includes('Your plan'))
  expect(own).toHaveLength(1)
  expect(own[0]?.[2]).toContain('Small')
})

test('a refusal at a plan limit links to the plans page', async () => {
  const { key } = await server.createPerson({ plan: 'SMALL' })
  const create = () => send(server, key, { method: 'POST', path: '/api/v1/items/markdown', body: { title: 'A' } })
  await create()
  const { body } = await create()
  expect(body).toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED', upgradeUrl: `${server.baseUrl}/plans` })
  expect((await fetch(body.upgradeUrl)).status).toBe(200)
})

test.for([
  ['the address of other servers', () => '/billing'],
  ['the base URL before the whole address', ({ baseUrl }: TestServer) => `/${baseUrl}/plans`],
  ['the same with merged slashes', ({ baseUrl }: TestServer) => `/${baseUrl.replace('//', '/')}/plans`],
] as const)('the plans page is available at %s', async ([, pathOf]) => {
  const { status, location } = await webClient(server).get(pathOf(server))
  expect([status, location]).toEqual([303, '/plans'])
})

test('a URL of another server is not redirected to', async () => {
  for (const path of ['/https://elsewhere.example/plans', `/${server.baseUrl}.example/plans`, `/${server.baseUrl}`]) {
    const { status, location } = await webClient(server).get(path)
    expect([status, location]).toEqual([404, null])
  }
  // Browsers take an address that begins with two slashes for one of another host.
  expect((await webClient(server).get(`/${server.baseUrl}//elsewhere.example/`)).location).toBe('/elsewhere.example/')
})

test('a client that prepends the base URL to `upgradeUrl` gets a path, others the whole URL', async () => {
  const { key } = await server.createPerson({ plan: 'FREE' })
  const create = (agent: string) =>
    send(server, key, {
      method: 'POST',
      path: '/api/v1/manuscripts',
      body: { title: 'A' },
      headers: { 'User-Agent': agent },
    })
  const { manuscript } = (await create('node')).body
  expect((await create('ck-cli/0.7.42')).body).toMatchObject({
    code: 'MANUSCRIPT_LIMIT_EXCEEDED',
    upgradeUrl: '/plans',
    limit: 1,
  })
  expect((await create('node')).body).toMatchObject({ upgradeUrl: `${server.baseUrl}/plans`, limit: 1 })
  const route = { method: 'PUT', path: `/api/v1/manuscripts/${manuscript.id}` }
  await send(server, key, { ...route, body: { status: 'PAUSED' } })
  await create('node')
  const resumed = await send(server, key, {
    ...route,
    body: { status: 'ACTIVE' },
    headers: { 'User-Agent': 'ck-cli/0.7.42' },
  })
  expect(resumed.body).toMatchObject({ code: 'MANUSCRIPT_LIMIT_EXCEEDED', upgradeUrl: '/plans' })
})

const link = '<a href="/plans">See the plans</a>'

test('a limit of the plan is named on pages without addresses, with a link to the plans', async () => {
  const { browser, account } = await signedInPerson(server, { plan: 'SMALL' })
  const book = await makeBook(server, account, { title: 'Only' })
  await browser.submit('/shelves', '/shelves', { name: 'Shelf' })
  const refused = await Promise.all([
    browser.submit('/add/markdown', '/add/markdown', { title: 'Another', content: '# A' }),
    browser.submit('/shelves', '/shelves', { name: 'One more' }),
    browser.post(`/books/${book}/publish`, hiddenFields((await browser.get(`/books/${book}`)).text, '/sign-out')),
  ])
  const problems = refused.map(({ text }) => /<p class="problem" role="alert">(.*?)<\/p>/s.exec(text)?.[1]?.trim())
  expect(problems).toEqual([
    `Your library is full. Ask for a larger plan. ${link}`,
    `Shelf limit reached: the Small &amp; new plan allows 1. Delete a shelf, or ask for a larger plan. ${link}`,
    `The Small &amp; new plan does not include publishing to the marketplace. Ask for a larger plan. ${link}`,
  ])
})

test.for([
  [
    'This book is locked: the Free plan keeps 20 books usable. Upgrade at https://a.example/plans or pick which books stay usable at https://a.example/library/usable',
    'This book is locked: the Free plan keeps 20 books usable. Ask for a larger plan, or choose which books stay usable.',
  ],
  [
    'The count resets on 2026-12-01. Upgrade for more reads: https://a.example/plans',
    'The count resets on 1 Dec 2026. Ask for a larger plan.',
  ],
  [
    'Delete books, remove earlier versions of books (purge_item_version), or upgrade. https://a.example/plans',
    'Delete books, remove earlier versions of books, or ask for a larger plan.',
  ],
  ['The rest needs a Pro plan: https://a.example/plans', 'The rest needs a Pro plan.'],
  ['Nothing about it.', 'Nothing about it.'],
] as const)('%s', ([message, words]) => {
  expect(wordsAboutPlan(message)).toBe(words)
})
