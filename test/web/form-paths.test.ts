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
  expect((await browser.submit(path, `${path}/rename`, { name: '…' })).status).toBe(400)
  expect((await browser.get(`${path}/rename`, asBrowser)).location).toBe(path)
})

test.for([
  ['/books/0mx2rer4igy7zpi42spm0xa3tv', 'There is no such book in your library.', 'href="/library">Go to your library'],
  [
    '/teams/0mx2rer4igy7zpi42spm0xa3tv',
    'You are not in this team, or it was deleted.',
    'href="/teams">Go to your teams',
  ],
  ['/shelves/nothing', 'No page found at /shelves/nothing.', 'href="/shelves">Go to your shelves'],
] as const)('%s says what may have happened and leads on', async ([path, message, link]) => {
  const { browser, email } = await signedInPerson(server)
  const { status, text } = await browser.get(path, asBrowser)
  expect(status).toBe(404)
  expect(text).toContain(message)
  expect(text).toContain(link)
  expect(text.includes(`You are signed in as <strong>${email}</strong>.`)).toBe(!path.startsWith('/shelves'))
})

test('a page that is not there and one of somebody else look alike', async () => {
  const [owner, stranger] = [await signedInPerson(server), await signedInPerson(server)]
  const { location } = await owner.browser.submit('/teams', '/teams', { name: 'Readers' })
  const path = (location ?? '').split('?')[0] ?? ''
  const textOf = async (page: string) => (await stranger.browser.get(page, asBrowser)).text.replaceAll(page, 'PAGE')
  const comparable = (text: string) => text.slice(text.indexOf('<main'), text.indexOf('</main>'))
  expect(comparable(await textOf(path))).toBe(comparable(await textOf('/teams/0mx2rer4igy7zpi42spm0xa3tv')))
})

test.for(['/teams/ID/role/x', '/library/nothing', '/add/nothing/at/all'])('%s is still not found', async (path) => {
  const { browser } = await signedInPerson(server)
  expect((await browser.get(path, asBrowser)).status).toBe(404)
})
