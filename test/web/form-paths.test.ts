import { expect, test } from 'vitest'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const asBrowser = { Accept: 'text/html' }

test.for([
  ['/teams/ID/role', '/teams/ID'],
  ['/books/ID/publish', '/books/ID'],
  ['/books/ID/edit/1/draft', '/books/ID/edit/1'],
  ['/library/selection', '/library'],
  ['/discover/add', '/discover'],
  ['/account/sessions/end', '/account'],
  ['/reading-preferences', '/'],
  ['/teams/%E2%82%AC%0D%0A/role', '/teams/%E2%82%AC%0D%0A'],
] as const)('a browser that opens %s again comes to the page of the form', async ([path, page]) => {
  const { browser } = await signedInPerson(server)
  expect((await browser.get(path, asBrowser)).location).toBe(page)
})

test('a form that was refused can be opened again by its address', async () => {
  const { browser } = await signedInPerson(server)
  const { location } = await browser.submit('/teams', '/teams', { name: 'Readers' })
  const path = (location ?? '').split('?')[0] ?? ''
  expect((await browser.submit(path, `${path}/leave`, {})).status).toBe(409)
  expect((await browser.get(`${path}/leave`, asBrowser)).location).toBe(path)
})

test.for(['/teams/ID/role/x', '/library/nothing', '/add/nothing/at/all'])('%s is still not found', async (path) => {
  const { browser } = await signedInPerson(server)
  expect((await browser.get(path, asBrowser)).status).toBe(404)
})
