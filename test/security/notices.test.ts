import { beforeAll, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { makeShelf } from '../support/shelves.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Names of properties that every object inherits. A lookup in an object literal would find them. */
const inherited = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf', '__defineGetter__']

let person: WebPerson
let book: string

beforeAll(async () => {
  person = await signedInPerson(server)
  book = await makeBook(server, person.account, { content: '# One\n' })
})

test.for(inherited)('a link with ?done=%s cannot make a page show a notice', async (name) => {
  const { browser } = person
  for (const [visitor, path] of [
    [browser, '/account'],
    [browser, '/'],
    [browser, '/shelves'],
    [browser, '/discover'],
    [browser, '/imports'],
    [browser, '/notifications'],
    [browser, '/teams'],
    [browser, `/books/${book}`],
    [browser, `/books/${book}/versions`],
    [browser, `/books/${book}/edit/1`],
    [webClient(server), '/sign-in'],
  ] as const) {
    const { status, text } = await visitor.get(`${path}?done=${name}`)
    expect(status).toBe(200)
    expect(text).not.toContain('class="notice"')
    expect(text).not.toMatch(/native code|\[object/)
  }
})

test.for(inherited)(
  'a shelf that is to move in the direction %s does not move, and the page asks for a place',
  async (name) => {
    const { id } = await makeShelf(server, person.account, `To ${name}`)
    const { status, text } = await person.browser.submit('/shelves', '/shelves/move', { shelf: id, direction: name })
    expect(status).toBe(400)
    expect(text).toContain('Choose a place for the shelf.')
  },
)
