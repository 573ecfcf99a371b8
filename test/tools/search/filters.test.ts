import { beforeAll, describe, expect, test } from 'vitest'
import { transports, type ToolResponse, type Transport } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { publishBook, subscribe } from '../../support/marketplace.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { makeShelf } from '../../support/shelves.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(await plansEnvironment({ tier: 'PREVIEW', previewPages: 1 }))

const titles = ({ body }: ToolResponse) => (body.items as { title: string }[]).map(({ title }) => title).toSorted()
const search = (transport: Transport, person: Person, input: Record<string, unknown>) =>
  transport.call(server, person, 'search_items', input)

let person: Person
const ids: Record<string, string> = {}

/** Four books of one person; all of them have the word "fox". */
const library = [
  { title: 'Red foxes', author: 'Ilse Müller', year: 2021, shelf: 'Reading list' },
  { title: 'Foxes and hounds', author: 'John Smith', year: 2022, shelf: 'Reading list' },
  { title: 'Of hounds', author: 'Ilse Smith', year: 2023, shelf: 'Done' },
  { title: 'Nothing', author: null, year: 2024, shelf: null },
]

beforeAll(async () => {
  person = await server.createPerson()
  const { services, database } = server.running.opened
  const shelves = new Map<string, string>()
  for (const name of ['Reading list', 'Done', 'Empty']) shelves.set(name, (await makeShelf(server, person, name)).id)
  for (const { title, author, year, shelf } of library) {
    const id = await makeBook(server, person, { title, content: `# One\n\nA fox of ${title}.\n\n# Two\n\nA badger.\n` })
    ids[title] = id
    await services.books.change(person.id, id, { set: { author } })
    const createdAt = new Date(Date.UTC(year, 4, 17, 12))
    await database.db.collection<{ _id: string }>('books').updateOne({ _id: id }, { $set: { createdAt } })
    const shelfId = shelves.get(shelf ?? '')
    if (shelfId) await services.placements.add(person.id, [{ shelfId, itemId: id }])
  }
})

describe.for(transports)('filters of search_items over %s', ([name, transport]) => {
  test.for<[written: string, given: Record<string, string>, found: string[]]>([
    ['title:fox', { title: 'fox' }, ['Foxes and hounds', 'Red foxes']],
    ['title:"fox hounds"', { title: 'fox hounds' }, ['Foxes and hounds']],
    ['title:houn*', { title: 'houn*' }, ['Foxes and hounds', 'Of hounds']],
    ['author:muller', { author: 'muller' }, ['Red foxes']],
    ['author:"Ilse Smith"', { author: 'Ilse Smith' }, ['Of hounds']],
    ['shelf:reading-list', { shelf: 'reading-list' }, ['Foxes and hounds', 'Red foxes']],
    ['shelf:"READING list"', { shelf: 'READING list' }, ['Foxes and hounds', 'Red foxes']],
    ['before:2022', { before: '2022' }, ['Red foxes']],
    ['before:2022-05-18', { before: '2022-05-18' }, ['Foxes and hounds', 'Red foxes']],
    ['after:2023-05-17', { after: '2023-05-17' }, ['Nothing', 'Of hounds']],
    ['after:2022-06 before:2024', { after: '2022-06', before: '2024' }, ['Of hounds']],
    ['title:hounds shelf:done', { title: 'hounds', shelf: 'done' }, ['Of hounds']],
  ])('%s restricts the books like %j', async ([written, given, found]) => {
    const typed = await search(transport, person, { query: `fox ${written}` })
    const passed = await search(transport, person, { query: 'fox', ...given })
    expect(titles(typed)).toEqual(found)
    expect(typed.body.items.every(({ hits }: { hits: { page: number }[] }) => hits[0]?.page === 1)).toBe(true)
    const { query: _typed, ...one } = typed.body
    const { query: _passed, ...other } = passed.body
    expect(one).toEqual(other)
  })

  test('in: takes the id of a book; several books are alternatives', async () => {
    const query = `fox in:${ids['Nothing']}`
    expect(titles(await search(transport, person, { query }))).toEqual(['Nothing'])
    expect(titles(await search(transport, person, { query: 'fox', in: ids['Nothing'] }))).toEqual(['Nothing'])
    const both = await search(transport, person, { query: `${query} in:${ids['Of hounds']}` })
    expect(titles(both)).toEqual(['Nothing', 'Of hounds'])
  })

  test.for<[query: string, found: string[]]>([
    ['fox -houn*', ['Nothing', 'Red foxes']],
    ['fox -title:hounds', ['Nothing', 'Red foxes']],
    ['fox -author:ilse -shelf:reading-list', ['Nothing']],
    ['fox shelf:done shelf:reading-list', ['Foxes and hounds', 'Of hounds', 'Red foxes']],
    ['fox -before:2023', ['Nothing', 'Of hounds']],
    ['badger -fox title:hounds', ['Of hounds']],
    ['"a badger" author:smith', ['Foxes and hounds', 'Of hounds']],
  ])('%s finds %j', async ([query, found]) => {
    const answer = await search(transport, person, { query })
    expect(titles(answer)).toEqual(found)
  })

  test('filters alone list the books, newest first, paginated', async () => {
    const typed = await search(transport, person, { query: 'author:ilse' })
    expect(typed.body).toMatchObject({ total: 2, items: [{ title: 'Of hounds', hits: [] }, { title: 'Red foxes' }] })
    const { query: _typed, ...one } = typed.body
    const { query: _passed, ...other } = (await search(transport, person, { author: 'ilse' })).body
    expect(one).toEqual(other)
    const first = await search(transport, person, { after: '2022', limit: 2 })
    expect(first.body.items).toMatchObject([{ title: 'Nothing' }, { title: 'Of hounds' }])
    const rest = await search(transport, person, { after: '2022', limit: 2, cursor: first.body.nextCursor })
    expect(rest.body).toMatchObject({ total: 3, items: [{ title: 'Foxes and hounds' }] })
    expect(rest.body.nextCursor).toBeUndefined()
  })

  test('the cursor of one filter is invalid for another', async () => {
    const { nextCursor: cursor } = (await search(transport, person, { query: 'fox', after: '2021', limit: 1 })).body
    const answer = await search(transport, person, { query: 'fox', after: '2020', limit: 1, cursor })
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message: /cursor does not belong/ })
  })

  test.for<[what: string, input: Record<string, string>, note: RegExp]>([
    [
      'an unknown shelf',
      { query: 'fox shelf:poems' },
      /No shelf is called "poems"\. The shelves are reading-list, done, empty\./,
    ],
    ['an empty shelf', { query: 'fox', shelf: 'empty' }, /The shelf "empty" is empty/],
    ['an unknown book', { query: 'fox in:moby' }, /No book of the library has the id "moby".*title:/],
    ['a title that no book has', { query: 'fox title:whales' }, /No book .* meets title:whales\. Leave a filter out/],
    [
      'words that no book of the filter has',
      { query: 'zyzzyva title:hounds' },
      /None of the 2 books that meet title:hounds/,
    ],
    ['exclusions alone', { query: '-fox -"red badger"' }, /only leaves out words\. Add a word/],
    ['pages that are all excluded', { query: 'fox -fox' }, /without what is left out/],
  ])('the answer explains what is wrong with %s', async ([, input, note]) => {
    const { body } = await search(transport, person, input)
    expect(body).toMatchObject({ total: 0, items: [] })
    expect(body.note).toMatch(note)
  })

  test('a misspelt filter counts as words, and the answer says how it is written', async () => {
    const { body } = await search(transport, person, { query: 'fox autor:smith' })
    expect(body.total).toBe(4)
    expect(body.note).toBe('"autor:smith" is searched as words: the filter is written author:.')
  })

  test('of many shelves, the answer names those with similar names', async () => {
    const other = await server.createPerson()
    const names = ['Algebra', 'Botany', 'Chess', 'Drama', 'Essays', 'Fishing', 'Greek', 'History', 'Poems', 'Zoology']
    for (const each of names) await makeShelf(server, other, each)
    const { body } = await search(transport, other, { query: 'fox shelf:peoms' })
    expect(body.note).toMatch(/No shelf is called "peoms"\. The shelves are poems, .*, and others: see list_shelves\./)
  })

  test('an invalid date counts as words, and the answer says so', async () => {
    const { body } = await search(transport, person, { query: 'fox before:christmas' })
    expect(body.total).toBe(4)
    expect(body.note).toMatch(/"before:christmas" has no date and is searched as words/)
  })

  test.for<[what: string, input: Record<string, string>, message: RegExp]>([
    ['no query and no filter', {}, /query is required/],
    ['an invalid date', { query: 'fox', after: '2023-02-30' }, /a date is 2024, 2024-05 or 2024-05-31/],
    ['a filter of punctuation', { query: 'fox', title: '?!' }, /a letter or a digit/],
  ])('refuses %s', async ([, input, message]) => {
    const answer = await search(transport, person, input)
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message })
  })

  test('filters show nothing of books that the caller may not read in full', async () => {
    const [owner, reader] = [await server.createPerson(), await server.createPerson({ plan: 'PREVIEW' })]
    const hidden = await makeBook(server, owner, { title: 'Hidden foxes', content: '# One\n\nA fox.' })
    const { listingId, itemId } = await publishBook(server, owner, {
      title: 'Locked foxes',
      content: '# One\n\nA fox.\n\n# Two\n\nA secret fox.\n',
      terms: { proOnly: true },
    })
    await subscribe(server, reader, listingId)
    for (const input of [
      { title: 'foxes' },
      { query: 'fox title:foxes' },
      { after: '2020' },
      { query: 'secret -hen', in: itemId },
    ])
      expect((await search(transport, reader, input)).body.items).toEqual([])
    const unknown = await search(transport, reader, { in: hidden })
    expect(unknown.body.note).toContain('No book of the library')
    const preview = await search(transport, reader, { query: 'fox', in: itemId })
    expect(preview.body.note).toContain('only a book that can be read in full')
  })

  test("the date of another account's book is that on which it entered the library", async () => {
    const [owner, reader] = [await server.createPerson(), await server.createPerson()]
    const { listingId, itemId } = await publishBook(server, owner, { title: 'Old foxes', content: '# One\n\nA fox.' })
    const { db } = server.running.opened.database
    await db.collection<{ _id: string }>('books').updateOne({ _id: itemId }, { $set: { createdAt: new Date(0) } })
    await subscribe(server, reader, listingId)
    expect(titles(await search(transport, reader, { query: 'fox after:2020' }))).toEqual(['Old foxes'])
    expect(titles(await search(transport, reader, { query: 'fox before:2020' }))).toEqual([])
  })

  test('a renamed book is found by its new title only', async () => {
    const owner = await server.createPerson()
    const id = await makeBook(server, owner, { title: 'Wolves', content: '# One\n\nA fox.' })
    await transport.call(server, owner, 'enrich_item', { itemId: id, title: 'Bears' })
    expect(titles(await search(transport, owner, { query: 'title:bears' }))).toEqual(['Bears'])
    expect(titles(await search(transport, owner, { query: 'title:wolves' }))).toEqual([])
  })
})
