import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { makeBook } from '../../support/make-book.ts'
import { publishBook, subscribe } from '../../support/marketplace.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import type { Person } from '../../support/server.ts'
import { transports, type ToolResponse } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(
  await plansEnvironment({ tier: 'PREVIEW', previewPages: 1 }, { tier: 'TINY', itemLimit: 1 }),
)

const bees = 'The queen of the hive lays eggs, and the worker bees gather nectar for honey. A hive is full of wax.'
const honey = 'Honey is made of nectar that bees bring to the hive, where workers seal it with wax for the winter.'
const ships = 'The mast of a schooner carries the mainsail, and its keel keeps the hull upright against the wind.'
const sails = 'A mainsail is raised along the mast; without a keel the hull of a schooner drifts before the wind.'
const rest = 'The committee met on Tuesday, and it was decided that the matter would be decided at another time.'

const page = (title: string, text: string) => `# ${title}\n\n${text}\n`
const places = ({ body }: ToolResponse) =>
  (body.items as { title: string; hits: { page: number }[] }[]).flatMap(({ title, hits }) =>
    hits.map((hit) => `${title} ${hit.page}`),
  )

let person: Person
let both: string
let empty: string

beforeAll(async () => {
  person = await server.createPerson()
  empty = await makeBook(server, person, { title: 'Empty', content: '' })
  both = await makeBook(server, person, { title: 'Both', content: page('One', bees) + page('Two', ships) })
  await makeBook(server, person, { title: 'Meetings', content: page('One', rest) + page('Two', honey) })
  await makeBook(server, person, {
    title: 'Harbours',
    content: page('One', rest) + page('Two', rest) + page('Three', sails),
  })
})

describe.for(transports)('pages similar to another over %s', ([name, transport]) => {
  const like = (by: Person, input: Record<string, unknown>) => transport.call(server, by, 'search_items', input)

  test('have the same topic, and omit the page itself', async () => {
    const ofBees = await like(person, { like: `${both}:1` })
    expect(places(ofBees)).toEqual(['Meetings 2'])
    expect(ofBees.body).toMatchObject({ query: '', items: [{ hits: [{ snippet: honey }] }] })
    const ofShips = await like(person, { like: `${both}:2` })
    expect(places(ofShips)).toEqual(['Harbours 3'])
  })

  test('can be pages of the same book', async () => {
    const owner = await server.createPerson()
    const id = await makeBook(server, owner, {
      title: 'Alone',
      content: page('A', bees) + page('B', rest) + page('C', honey),
    })
    expect(places(await like(owner, { like: `${id}:1` }))[0]).toBe('Alone 3')
  })

  test('can be restricted by filters and combined with words', async () => {
    expect(places(await like(person, { like: `${both}:1`, title: 'harbours' }))).not.toContain('Meetings 2')
    expect(places(await like(person, { like: `${both}:1`, query: 'title:meetings' }))[0]).toBe('Meetings 2')
    expect(places(await like(person, { like: `${both}:1`, query: 'schooner mainsail keel hull mast' }))).toContain(
      'Harbours 3',
    )
    expect(places(await like(person, { like: `${both}:1`, query: '-seal' }))).not.toContain('Meetings 2')
  })

  test('are none if no other page has enough of the words, and a note says so', async () => {
    const owner = await server.createPerson()
    const id = await makeBook(server, owner, { title: 'Two', content: page('A', bees) + page('B', rest) })
    const { body } = await like(owner, { like: `${id}:1` })
    expect(body).toMatchObject({ items: [], total: 0, note: expect.stringContaining('No other page has enough') })
  })

  test('are found without charging a read', async () => {
    const before = (await transport.call(server, person, 'whoami')).body.monthlyReadsUsed
    await like(person, { like: `${both}:1` })
    expect((await transport.call(server, person, 'whoami')).body.monthlyReadsUsed).toBe(before)
  })

  test('do not exist for a page without words, and the answer says so', async () => {
    const owner = await server.createPerson()
    const id = await makeBook(server, owner, { content: page('1', '2 + 3 = 5') })
    expect((await like(owner, { like: `${id}:1` })).body).toMatchObject({
      items: [],
      note: expect.stringContaining('no words'),
    })
  })

  test('are refused for a page that the caller may not read, and none is from beyond a preview', async () => {
    const [owner, reader] = [await server.createPerson(), await server.createPerson({ plan: 'PREVIEW' })]
    const { listingId, itemId } = await publishBook(server, owner, {
      title: 'Previewed',
      content: page('One', bees) + page('Two', honey),
      terms: { proOnly: true },
    })
    await subscribe(server, reader, listingId)
    const own = await makeBook(server, reader, { title: 'Own', content: page('One', honey) })
    expect(places(await like(reader, { like: `${itemId}:1` }))).toEqual(['Own 1'])
    expect(places(await like(reader, { like: `${own}:1` }))).toEqual([])
    const refused = await like(reader, { like: `${itemId}:2` })
    expectRefusal(refused, name, { status: 403, code: 'FORBIDDEN', message: /preview/ })
    const stranger = await like(await server.createPerson(), { like: `${itemId}:1` })
    expectRefusal(stranger, name, { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
  })

  test('are refused for a locked book', async () => {
    const tiny = await server.createPerson()
    await makeBook(server, tiny, { content: page('One', bees) })
    const locked = await makeBook(server, tiny, { content: page('One', honey) })
    await server.running.opened.services.accounts.change(tiny.id, { tier: 'TINY' })
    const answer = await like(tiny, { like: `${locked}:1` })
    expectRefusal(answer, name, { status: 403, code: 'ITEM_LOCKED', message: /locked/ })
  })

  test.for<[what: string, like: () => string, status: number, code: string, message: RegExp]>([
    ['a page that does not exist', () => `${both}:3`, 404, 'NOT_FOUND', /has 2 pages\. Pass like as/],
    ['a page of a book without text', () => `${empty}:1`, 404, 'NOT_FOUND', /This book has no text yet/],
    ['page 0', () => `${both}:0`, 404, 'NOT_FOUND', /has 2 pages/],
    ['an unknown book', () => 'none:1', 404, 'NOT_FOUND', /Item not found/],
    ['a book without a page', () => both, 400, 'INVALID_INPUT', /as BOOKID:12/],
    ['words', () => 'bees and honey', 400, 'INVALID_INPUT', /as BOOKID:12/],
  ])('are refused for %s', async ([, ref, status, code, message]) => {
    expectRefusal(await like(person, { like: ref() }), name, { status, code, message })
  })
})
