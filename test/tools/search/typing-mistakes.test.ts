import { beforeAll, describe, expect, test } from 'vitest'
import { publishBook, subscribe } from '../../support/marketplace.ts'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { createTeamClient, type TeamClient } from '../../support/team-client.ts'
import { transports, type ToolResponse } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let desk: TeamClient

beforeAll(() => {
  desk = createTeamClient(server)
})

const content =
  '# Of plants\n\nPhotosynthesis feeds a leaf. Photosynthesis again.\n' +
  '# Of the sea\n\nThe Krankenhaus by the café treats a narwhal.\n' +
  '# Of people\n\nАлександр and Müller met Marguerite in Zürich.\n'

describe.for(transports)('over %s', ([, transport]) => {
  const search = async (person: Person, query: string): Promise<ToolResponse['body']> => {
    const { ok, body, text } = await transport.call(server, person, 'search_items', { query })
    if (!ok) throw new Error(text)
    return body
  }
  const pagesOf = ({ items }: ToolResponse['body']) =>
    items.flatMap(({ hits }: { hits: { page: number }[] }) => hits.map(({ page }) => page))

  let person: Person
  beforeAll(async () => {
    person = await server.createPerson()
    await makeBook(server, person, { title: 'Things', content })
  })

  test.for([
    ['a letter left out', 'photosynhesis feeds', 1, 'photosynthesis feeds'],
    ['a letter typed twice', 'photosynthhesis', 1, 'photosynthesis'],
    ['two letters swapped', 'narhwal', 2, 'narwhal'],
    ['a wrong letter', 'narwhel', 2, 'narwhal'],
    ['the first letter wrong', 'marwhal', 2, 'narwhal'],
    ['the first letter left out', 'arwhal', 2, 'narwhal'],
    ['two mistakes in a long word', 'fotosynthesis', 1, 'photosynthesis'],
    ['a capital letter', 'Nawrhal treats', 2, 'Narwhal treats'],
    ['only capital letters', 'NAWRHAL', 2, 'NARWHAL'],
    ['letters with accents', 'Zürihc', 3, 'Zürich'],
    ['an accent left out too', 'zurihc', 3, 'zürich'],
    ['another script', 'Алксандр', 3, 'Александр'],
    ['a mistake in the last word of several', 'leaf photosinthesis', 1, 'leaf photosynthesis'],
  ] as const)('a word with %s is found, and the correct one is suggested', async ([, query, page, didYouMean]) => {
    const answer = await search(person, query)
    expect(pagesOf(answer)[0]).toBe(page)
    expect(answer.didYouMean).toBe(didYouMean)
  })

  test('a word that exists is not corrected to another one', async () => {
    const other = await server.createPerson()
    await makeBook(server, other, {
      title: 'Coasts',
      content: `# One\n\n${'The coast is long. '.repeat(5)}\n# Two\n\nA roast is hot.\n`,
    })
    const answer = await search(other, 'roast')
    expect(pagesOf(answer)).toEqual([2])
    expect(answer).not.toHaveProperty('didYouMean')
  })

  test('a rare word similar to a frequent one finds itself first, then the other one', async () => {
    const other = await server.createPerson()
    const page = `# One\n\n${'The telescope is long. '.repeat(30)}\n# Two\n\nA telescoqe is not.\n`
    await makeBook(server, other, { title: 'Instruments', content: page })
    const answer = await search(other, 'telescoqe')
    expect(pagesOf(answer)).toEqual([2, 1])
    expect(answer.didYouMean).toBe('telescope')
  })

  test.for(['abc12', 'narwhal1', 'xq'])('%s, a number or a short word, is never corrected', async (query) => {
    const answer = await search(person, query)
    expect([answer.total, answer.didYouMean]).toEqual([0, undefined])
  })

  test('the last word may be unfinished', async () => {
    const answer = await search(person, 'feeds photosyn')
    expect(pagesOf(answer)).toEqual([1])
    expect(answer).not.toHaveProperty('didYouMean')
    expect(pagesOf(await search(person, 'kranken'))).toEqual([2])
  })

  test('a phrase with a typing error is found', async () => {
    const answer = await search(person, '"photosynthesis feds a leaf"')
    expect([pagesOf(answer), answer.relaxed, answer.didYouMean]).toEqual([
      [1],
      undefined,
      '"photosynthesis feeds a leaf"',
    ])
  })

  test('nothing is suggested from pages that were edited and from books that were deleted', async () => {
    const other = await server.createPerson()
    const id = await makeBook(server, other, { title: 'A', content: '# One\n\nquokkas here\n# Two\n\nwombats here\n' })
    await makeBook(server, other, { title: 'B', content: '# One\n\nquokka, and nothing else\n' })
    const gone = await makeBook(server, other, { title: 'C', content: '# One\n\nbandicoot here\n' })
    expect((await search(other, 'quokkaas')).didYouMean).toBe('quokkas')
    expect((await search(other, 'bandicot')).didYouMean).toBe('bandicoot')
    await transport.call(server, other, 'put_item_page', { id, pageNum: 1, content: '# One\n\nnothing here\n' })
    await transport.call(server, other, 'delete_items', { ids: [gone] })
    // A book still contains the stem, but no longer this form of the word.
    expect((await search(other, 'quokkaas')).didYouMean).toBe('quokka')
    expect(await search(other, 'bandicot')).toMatchObject({ total: 0, items: [] })
    expect(await search(other, 'bandicot')).not.toHaveProperty('didYouMean')
  })

  test('nothing is suggested from books of the owner that are not shared, and from departments of others', async () => {
    const [owner, member] = await Promise.all([server.createPerson(), server.createPerson()])
    const team = await desk.createTeam(owner)
    await desk.addMember(team, member)
    await desk.createDepartment(team, owner, 'Sales', [])
    const shared = await makeBook(server, owner, { title: 'Shared', content: '# One\n\nkingfisher and swallow\n' })
    await makeBook(server, owner, { title: 'Kept', content: '# One\n\nkingfishers and secretword\n' })
    const closed = await makeBook(server, owner, { title: 'Sales', content: '# One\n\nquarterly and closedword\n' })
    await desk.shareItem(team, owner, shared)
    await desk.shareItem(team, owner, closed, { departmentSlugs: ['sales'] })
    expect((await search(member, 'kingfihser')).didYouMean).toBe('kingfisher')
    // The member's books contain the stem, but only another book of the owner contains this form.
    expect((await search(member, 'kingfihsers')).didYouMean).toBe('kingfisher')
    for (const query of ['secretwrod', 'closedwrod', 'quartelry', 'secretw', 'closedw']) {
      const answer = await search(member, query)
      expect([answer.total, answer.items, answer.didYouMean]).toEqual([0, [], undefined])
    }
    expect((await search(owner, 'secretwrod')).didYouMean).toBe('secretword')
  })

  test('nothing is suggested from beyond a preview', async () => {
    const [publisher, reader] = await Promise.all([server.createPerson(), server.createPerson({ plan: 'FREE' })])
    const { listingId } = await publishBook(server, publisher, {
      title: 'Deep water',
      content: '# One\n\none\n# Two\n\ntwo\n# Three\n\nthree whalefall\n',
      terms: { proOnly: true },
    })
    const open = await publishBook(server, publisher, { title: 'Shallow', content: '# One\n\nstarfish\n' })
    await subscribe(server, reader, listingId)
    await subscribe(server, reader, open.listingId)
    expect((await search(reader, 'starfihs')).didYouMean).toBe('starfish')
    const answer = await search(reader, 'whalefalll')
    expect([answer.total, answer.didYouMean]).toEqual([0, undefined])
    expect((await search(publisher, 'whalefalll')).didYouMean).toBe('whalefall')
  })

  test('words of equal frequency complete a prefix in the same order, whatever is cached', async () => {
    const names = await server.createPerson()
    for (let book = 0; book < 6; book += 1) {
      const words = Array.from({ length: 30 }, (_, at) => `quax${'zyxwvu'[book]}${at.toString(26)}n`)
      const text = words.map((word) => `# ${word}\n\nOf ${word}.\n`).join('\n')
      await makeBook(server, names, { title: `Names ${book}`, content: text })
    }
    const first = await search(names, 'quax*')
    expect(first.total).toBeGreaterThan(0)
    expect(await search(names, 'quax*')).toEqual(first)
  })
})
