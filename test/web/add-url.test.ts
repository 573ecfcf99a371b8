import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plansEnvironment } from '../support/plans-environment.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const text = '# One\n\nwhales\n'
const plans = await plansEnvironment({ tier: 'FULL', itemLimit: 0 })
/** May fetch from 127.0.0.1 and from no other address. */
const server = useTestServer(
  { ...plans, LECTERN_IMPORT_URL: 'http' },
  { urlImports: { allowsAddress: (address) => address === '127.0.0.1', anyPort: true } },
)
const closed = useTestServer()

let site: Server
let siteUrl: string
let person: WebPerson

beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.url !== '/whales.md') response.statusCode = 404
    response.setHeader('Content-Type', 'text/markdown').end(text)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  person = await signedInPerson(server)
})
afterAll(() => {
  site.closeAllConnections()
  site.close()
})

const booksOf = ({ account }: WebPerson) =>
  server.running.opened.database.db.collection('books').find({ ownerId: account.id })

/** The ids of the books of a person; their other fields change while earlier imports end. */
async function idsOf(owner: WebPerson): Promise<unknown[]> {
  return (await booksOf(owner).toArray()).map(({ _id }) => _id)
}

describe('the URL field of /add', () => {
  test('makes a book of the file at a URL', async () => {
    const { browser } = person
    const answer = await browser.submit('/add', '/add/url', { url: ` ${siteUrl}/whales.md ` })
    expect(answer).toMatchObject({ status: 303, location: '/imports?added=1' })
    expect((await browser.get('/imports?added=1')).text).toContain('whales')
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(await booksOf(person).toArray()).toMatchObject([{ original: { filename: 'whales.md', sha256 } }])
  })

  test.for([
    ['no address', 'whales', 'address'],
    ['an address of the server’s own network', 'http://10.0.0.1/whales.md', 'public internet'],
    ['an address without a file', '/missing.md', '404'],
    ['nothing', '', 'Address of a file is required'],
  ] as const)('shows at the field what is wrong with %s, and keeps the typed text', async ([, typed, said]) => {
    const { browser } = person
    const url = typed.startsWith('/') ? siteUrl + typed : typed
    const before = await idsOf(person)
    const { status, text: page } = await browser.submit('/add', '/add/url', { url })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(page).toContain('<title>Error: Add books')
    const problem = /id="url-problem">([^<]+)</.exec(page)?.[1]
    expect(problem).toContain(said)
    expect(page).toMatch(/aria-describedby="url-hint url-problem"/)
    expect(page).toContain(`value="${url}"`)
    expect(await idsOf(person)).toEqual(before)
  })

  test('is missing if the server has downloads disabled, and the form is refused', async () => {
    const { browser } = await signedInPerson(closed)
    const { text: page } = await browser.get('/add')
    expect(page).not.toContain('/add/url')
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const answer = await browser.post('/add/url', { csrf, url: `${siteUrl}/whales.md` })
    expect(answer.status).toBe(403)
  })

  test('is missing in a full library', async () => {
    const { browser } = await signedInPerson(server, { plan: 'FULL' })
    expect((await browser.get('/add')).text).not.toContain('/add/url')
  })
})
