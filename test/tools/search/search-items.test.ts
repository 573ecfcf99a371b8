import { describe, expect, test } from 'vitest'
import { systemOwner } from '../../../src/books/book.ts'
import { transports, type ToolResponse, type Transport } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', itemLimit: 1 }))

interface Item {
  id: string
  title: string
  score: number
  matched: number
  hits: { page: number; chapter: string[]; snippet: string }[]
}

const titles = ({ body }: ToolResponse) => (body.items as Item[]).map(({ title }) => title)
const search = (transport: Transport, person: Person, query: string) =>
  transport.call(server, person, 'search_items', { query })

const filler = 'The committee met on Tuesday and decided nothing at all about the matter in hand. '

describe.for(transports)('search_items over %s', ([name, transport]) => {
  test('finds a word in the text and returns the page, its chapter and a passage', async () => {
    const person = await server.createPerson()
    const content = `# Of ships\n\n${filler}\n\n# Of whales\n\n${filler.repeat(5)}The *narwhal* has a tusk. ${filler.repeat(5)}\n`
    const id = await makeBook(server, person, { title: 'The Sea', content })
    const { body, status } = await search(transport, person, 'narwhals')
    expect(status).toBe(200)
    expect(body).toMatchObject({ query: 'narwhals', total: 1 })
    expect(body).not.toHaveProperty('nextCursor')
    const [item] = body.items as Item[]
    expect(item).toMatchObject({ id, title: 'The Sea', author: null, pageCount: 2, matched: 1 })
    expect(item?.score).toBeGreaterThan(0)
    expect(item?.hits).toHaveLength(1)
    expect(item?.hits[0]).toMatchObject({ page: 2, chapter: ['Of whales'] })
    const snippet = item?.hits[0]?.snippet ?? ''
    expect(snippet).toBe(`The narwhal has a tusk. ${filler.trim()}`)
  })

  test('names the section that the passage is in, on a page with several', async () => {
    const person = await server.createPerson()
    const content = `# Birds\n\nThe auk dives.\n\n## 1. Herons\n\nThe bittern hides. ${filler}\n\n## Other *waders*\n\nThe curlew calls.\n`
    await makeBook(server, person, { content })
    const chapterOf = async (query: string) => {
      const { body } = await search(transport, person, query)
      return (body.items as Item[])[0]?.hits[0]?.chapter
    }
    expect(await chapterOf('auk')).toEqual(['Birds'])
    expect(await chapterOf('bittern')).toEqual(['Birds', '1. Herons'])
    expect(await chapterOf('curlew')).toEqual(['Birds', 'Other waders'])
    expect(await chapterOf('herons')).toEqual(['Birds', '1. Herons'])
  })

  test('returns at most three pages of a book, best first, and the number of matches', async () => {
    const person = await server.createPerson()
    const pages = [1, 5, 2, 8, 3].map((count, at) => `# Chapter ${at + 1}\n\n${'osprey '.repeat(count)}${filler}\n`)
    await makeBook(server, person, { content: pages.join('\n') })
    const { body } = await search(transport, person, 'osprey')
    expect(body.items[0].matched).toBe(5)
    expect(body.items[0].hits.map(({ page }: { page: number }) => page)).toEqual([4, 2, 5])
  })

  test('ranks title and author over chapters, and chapters over the text', async () => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'In passing', content: `# One\n\n${filler} A heron. ${filler}` })
    await makeBook(server, person, { title: 'By chapter', content: `# The heron\n\n${filler}` })
    await makeBook(server, person, { title: 'The Heron', content: `# One\n\n${filler}` })
    await makeBook(server, person, { title: 'Nothing', content: `# One\n\n${filler}` })
    expect(titles(await search(transport, person, 'heron'))).toEqual(['The Heron', 'By chapter', 'In passing'])
  })

  test('ranks the page on which a chapter with the words begins over pages with more of them', async () => {
    const person = await server.createPerson()
    const more = Array.from({ length: 5 }, (_, at) => `# Day ${at + 1}\n\n${'A heron. '.repeat(6)}\n`)
    const content = [...more, `# Day 6\n\nA heron. ${filler.repeat(12)}\n`].join('\n')
    const id = await makeBook(server, person, { content })
    const toc = [{ title: 'The heron', page: 6 }]
    await transport.call(server, person, 'enrich_item', { itemId: id, toc })
    const { body } = await search(transport, person, 'heron')
    expect(body.items[0]).toMatchObject({ matched: 6 })
    expect(body.items[0].hits.map(({ page }: { page: number }) => page)).toEqual([6, 1, 2])
  })

  test('ranks words near each other higher', async () => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'Far', content: `# A\n\nA red dog. ${filler.repeat(6)} A small fox.` })
    await makeBook(server, person, { title: 'Near', content: `# A\n\nA red fox. ${filler.repeat(6)} A small dog.` })
    expect(titles(await search(transport, person, 'red fox'))).toEqual(['Near', 'Far'])
  })

  test('returns a book found only by its title, author or description without pages', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Ornithology', description: 'On quetzals', content: filler })
    await server.running.opened.services.books.change(person.id, id, { set: { author: 'Ilse Müller' } })
    for (const query of ['ornithology', 'quetzal', 'ilse muller']) {
      const { body } = await search(transport, person, query)
      expect(body.items).toMatchObject([{ id, matched: 0, hits: [] }])
    }
  })

  test.for<[query: string, text: string]>([
    ['running', 'They run every day.'],
    ['organisations', 'An organisation of farmers.'],
    ['cafe', 'A small café in Lyon.'],
    ['CAFÉ', 'Two cafe\u0301s in Lyon.'],
    ['strasse', 'Die Straße nach Rom.'],
    ['Ωδη', 'Η ωδή του ποιητή.'],
    ['elki', 'Новогодние ёлки elki'],
    ['елки', 'Новогодние ЁЛКИ.'],
    ['file', 'The ﬁle is full-width: ＦＵＬＬ.'],
    ['FULL', 'The ﬁle is full-width: ＦＵＬＬ.'],
    ['e-mail', 'Send an email.'],
    ['email', 'Send an e-mail.'],
    ['dont', 'Don’t do it.'],
    ["John's", 'John was here.'],
    ['homme', 'L’homme armé.'],
    ['O’Reilly', "A book by O'Reilly."],
    ['C++', 'Written in C++ and Perl.'],
    ['snake_case', 'The function snake_case() is called.'],
    ['snake', 'The function snake_case() is called.'],
    ['2026', 'Printed in 2026.'],
    ['東京', '私は東京都に住んでいます。'],
    ['猫', '我輩は猫である。'],
    ['图书馆', '我们去图书馆看书。'],
    ['ガラス', '割れたｶﾞﾗｽの破片。'],
    ['도서관', '우리는 도서관에서 책을 읽는다.'],
    ['ห้องสมุด', 'เราไปห้องสมุดทุกวัน'],
    ['вороны', 'Две вороне нашлось зёрнышко, другой вороной стало меньше.'],
    ['книгами', 'Он читает книгу.'],
    ['θάλασσες', 'Η θάλασσα είναι βαθιά.'],
    ['कहानियाँ', 'यह एक कहानी है।'],
    ['المكتبات', 'ذهبنا إلى المكتبة.'],
    ['कहानी', 'यह एक कहानी है।'],
    ['كتاب', 'هذا كِتَابٌ قديم.'],
    ['soft', 'A so\u00adft hyphen.'],
    ['bold', 'A **bo**ld word.'],
  ])('%s is found in "%s"', async ([query, text]) => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'With', content: `# Text\n\n${text}\n` })
    await makeBook(server, person, { title: 'Without', content: `# Text\n\n${filler}\n` })
    expect(titles(await search(transport, person, query))).toEqual(['With'])
  })

  test.for<[query: string, text: string]>([
    ['C#', 'Written in C and Perl.'],
    ['京都', '东京和大阪'],
    ['heron', '![a picture](heron.png)'],
    ['https', 'See [the page](https://example.com).'],
    ['nbsp', 'Four&nbsp;words here.'],
  ])('%s is not found in "%s"', async ([query, text]) => {
    const person = await server.createPerson()
    await makeBook(server, person, { content: `# Text\n\n${text}\n` })
    expect((await search(transport, person, query)).body).toMatchObject({ query, items: [], total: 0 })
  })

  test.for([
    ['"red fox"', 'A **red** fox.'],
    ['„red fox“', 'Red\nfox'],
    ['"to be or not to be"', 'To be, or not to be: that is the question.'],
    ['"東京都"', '私は東京都に住んでいます。'],
    ['"red fox" "brown bear"', 'The brown bear fears a red fox.'],
  ])('the phrase %s is found in "%s"', async ([query = '', text]) => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'With', content: `# Text\n\n${text}\n` })
    const [item] = (await search(transport, person, query)).body.items as Item[]
    expect(item?.hits).toHaveLength(1)
  })

  test('requires every phrase of a query and returns its pages', async () => {
    const person = await server.createPerson()
    const content = `# One\n\nA red dog and a fox.\n\n# Two\n\nA red fox.\n`
    await makeBook(server, person, { title: 'Both', content })
    await makeBook(server, person, { title: 'One', content: '# One\n\nA red fox.' })
    const found = await search(transport, person, '"red fox" "red dog"')
    expect(titles(found)).toEqual(['Both'])
    expect((await search(transport, person, '"red fox"')).body.items[0].hits).toMatchObject([{ page: 2 }])
  })

  test.for([
    ['"red fox"', 'A fox, red and small.'],
    ['"red fox"', 'A red and small fox.'],
    ['“to be or not”', 'To be, or perhaps not.'],
  ])(
    'without a page that contains the phrase %s, its words are found, and the answer says so',
    async ([query = '', text]) => {
      const person = await server.createPerson()
      await makeBook(server, person, { title: 'With', content: `# Text\n\n${text}\n` })
      const { body } = await search(transport, person, query)
      expect(body.items).toMatchObject([{ title: 'With', hits: [{ page: 1 }] }])
      expect(body.relaxed).toContain('No page contains the phrase')
    },
  )

  test.for([['fox -brown'], ['fox NOT brown'], ['fox -"brown bear"'], ['fox -brow-n']])(
    '%s leaves out the pages with the excluded words',
    async ([query = '']) => {
      const person = await server.createPerson()
      const content = `# One\n\nA fox and a brown bear, brow-n.\n\n# Two\n\nA fox alone.\n`
      await makeBook(server, person, { title: 'Some', content })
      await makeBook(server, person, { title: 'None', content: '# One\n\nThe fox is a brown bear, brow-n.' })
      const { body } = await search(transport, person, query)
      expect(body).toMatchObject({ total: 1, items: [{ title: 'Some', matched: 1, hits: [{ page: 2 }] }] })
    },
  )

  test('a book with an excluded word in its title, author or description is omitted, and so is a page by its chapter', async () => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'Brown foxes', content: '# One\n\nA fox.' })
    await makeBook(server, person, { title: 'B', description: 'Of brown ones', content: '# One\n\nA fox.' })
    await makeBook(server, person, { title: 'C', content: '# Brown\n\nA fox.\n\n# Red\n\nA fox.' })
    const { body } = await search(transport, person, 'fox -brown')
    expect(body.items).toMatchObject([{ title: 'C', hits: [{ page: 2 }] }])
  })

  test('one word of a question is enough; books with more of them come first', async () => {
    const person = await server.createPerson()
    await makeBook(server, person, { title: 'One', content: '# A\n\nAlbatross.' })
    await makeBook(server, person, { title: 'Two', content: '# A\n\nAlbatross and bittern.' })
    await makeBook(server, person, { title: 'None', content: '# A\n\nA wren.' })
    const found = await search(transport, person, 'the albatross, bittern and curlew')
    expect(titles(found)).toEqual(['Two', 'One'])
    expect(found.body.total).toBe(2)
    expect(found.body.relaxed).toBeUndefined()
  })

  test('the best of very many short books is found by its page, and each hit has its score', async () => {
    const person = await server.createPerson()
    for (let at = 0; at < 80; at++)
      await makeBook(server, person, { title: `Note ${at}`, content: `Heron ${'heron '.repeat(9)}` })
    const best = await makeBook(server, person, { title: 'The note', content: `${filler} A grey heron at the weir.` })
    const { items } = (await search(transport, person, 'grey heron weir')).body
    expect(items[0]).toMatchObject({ id: best, matched: 1 })
    expect(items[0].hits[0].score).toBeGreaterThan(items[1].hits[0].score)
  })

  test("other accounts' books are never found and do not affect the ranking", async () => {
    const [person, other] = [await server.createPerson(), await server.createPerson()]
    await makeBook(server, person, { title: 'Mine', content: '# A\n\nA kestrel and a merlin.' })
    const before = (await search(transport, person, 'kestrel merlin')).body
    await makeBook(server, other, { title: 'Theirs', content: '# A\n\nkestrel kestrel secretword' })
    expect((await search(transport, person, 'kestrel merlin')).body).toEqual(before)
    expect((await search(transport, person, 'secretword')).body.items).toEqual([])
    expect(titles(await search(transport, other, 'secretword'))).toEqual(['Theirs'])
  })

  test('built-in books are found by everybody', async () => {
    const word = `builtin${name}`
    await makeBook(server, { id: systemOwner }, { title: 'Built in', content: `# A\n\nThe ${word}.` })
    for (const person of [await server.createPerson(), await server.createPerson()]) {
      expect(titles(await search(transport, person, word))).toEqual(['Built in'])
    }
  })

  test('locked books are not found', async () => {
    const person = await server.createPerson()
    for (const title of ['Oldest', 'Newer', 'Newest'])
      await makeBook(server, person, { title, content: '# A\n\nA plover.' })
    await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
    const found = await search(transport, person, 'plover')
    expect(titles(found)).toEqual(['Oldest'])
    expect(found.body.total).toBe(1)
    expect((await search(transport, person, 'newest')).body).toMatchObject({
      items: [],
      note: expect.stringMatching(/Not searched: 2 locked books\.$/),
    })
  })

  test('a deleted book is no longer found', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Gone', content: '# A\n\nA dunlin.' })
    await makeBook(server, person, { title: 'Stays', content: '# A\n\nA dunlin.' })
    await transport.call(server, person, 'delete_items', { ids: [id] })
    const found = await search(transport, person, 'dunlin')
    expect(titles(found)).toEqual(['Stays'])
    expect(found.body.total).toBe(1)
  })

  test('charges no read', async () => {
    const person = await server.createPerson()
    await makeBook(server, person, { content: '# A\n\nA godwit.' })
    await search(transport, person, 'godwit')
    expect((await transport.call(server, person, 'whoami')).body.monthlyReadsUsed).toBe(0)
  })

  test('an empty library gives an empty result', async () => {
    expect((await search(transport, await server.createPerson(), 'zyzzyva')).body).toMatchObject({
      query: 'zyzzyva',
      items: [],
      total: 0,
    })
  })

  test.for<[string, Record<string, unknown>, RegExp]>([
    ['no query', {}, /query is required/],
    ['an empty query', { query: '' }, /query is required/],
    ['a blank query', { query: ' \t ' }, /query is required/],
    [
      'a query of 501 characters',
      { query: '𝒳'.repeat(501) },
      /at most 500 characters long: a sentence of a passage finds its page/,
    ],
    ['a limit of 0', { query: 'x', limit: 0 }, /limit must be at least 1/],
    ['a limit of 21', { query: 'x', limit: 21 }, /limit must be at most 20/],
    ['a limit that is not an integer', { query: 'x', limit: 1.5 }, /limit/],
    ['a malformed cursor', { query: 'x', cursor: 'abc' }, /cursor does not belong to this query/],
    ['the cursor of another query', { query: 'x', cursor: '5.1.abc' }, /cursor does not belong to this query/],
  ])('refuses %s', async ([, input, says]) => {
    const answer = await transport.call(server, await server.createPerson(), 'search_items', input)
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message: says })
  })

  test('accepts a query of 500 characters outside the basic plane', async () => {
    expect((await search(transport, await server.createPerson(), '𝒳'.repeat(500))).status).toBe(200)
  })

  test('needs the scope library:read', async () => {
    const answer = await search(transport, await server.createPerson({ scopes: ['library:write'] }), 'x')
    expect(answer).toMatchObject({ ok: false, status: name === 'rest' ? 403 : 200 })
  })
})
