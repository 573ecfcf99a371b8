import { beforeAll, describe, expect, test } from 'vitest'
import { transports, send } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { smallBooks } from '../../support/small-books.ts'
import { callOverRest, importFile, waitForJobEnd } from '../../support/uploads.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

describe.for(transports)('enrich_item over %s', ([name, transport]) => {
  let id: string
  beforeAll(async () => {
    id = await makeBook(server, person, { title: 'a_file_name', content: markdownPages(6) })
  })
  const enrich = async (input: Record<string, unknown>, who = person) => {
    // The rate bucket for writes over MCP holds 20 calls a minute.
    await server.running.opened.database.db.collection('rates').deleteMany({})
    return transport.call(server, who, 'enrich_item', { itemId: id, ...input })
  }
  const metadata = async () => {
    const { body } = await transport.call(server, person, 'read_items', { items: [{ id, pages: '1' }] })
    return body.items[0].metadata
  }

  test('sets the given fields, keeps the others, clears the flag and records the time', async () => {
    await transport.call(server, person, 'flag_item', { itemId: id })
    const first = await enrich({ title: ' The Title ', author: 'An Author', confidence: 0.4 })
    expect(first.body.item).toEqual({
      id,
      title: 'The Title',
      author: 'An Author',
      description: null,
      needsEnrichment: false,
      enrichmentConfidence: 0.4,
      enrichedAt: expect.stringMatching(/Z$/),
    })
    const second = await enrich({ description: 'About it' })
    expect(second.body.item).toMatchObject({ title: 'The Title', author: 'An Author', description: 'About it' })
    expect((await enrich({ description: name === 'rest' ? null : '' })).body.item.description).toBeNull()
  })

  test('confidence 1 confirms the metadata, less does not', async () => {
    const own = await makeBook(server, person)
    const confirmedAt = async () => {
      const { body } = await transport.call(server, person, 'list_items')
      return body.items.find((item: { id: string }) => item.id === own).metadataConfirmedAt
    }
    await enrich({ itemId: own, confidence: 0.99 })
    expect(await confirmedAt()).toBeNull()
    await enrich({ itemId: own, confidence: 1 })
    expect(await confirmedAt()).toMatch(/Z$/)
  })

  test('prompts, sample question and outcomes are returned with the pages, and an empty list clears outcomes', async () => {
    await server.running.opened.services.books.change(person.id, id, { set: { prompts: [] } })
    await enrich({ addPrompt: { prompt: 'Ask this', context: 'when', multiBook: true }, sampleQuestion: 'Why?' })
    await enrich({ outcomes: ['You can do it'] })
    expect(await metadata()).toMatchObject({
      prompts: [{ prompt: 'Ask this', context: 'when', multiBook: true }],
      sampleQuestion: 'Why?',
      outcomes: ['You can do it'],
    })
    await enrich({ outcomes: [] })
    expect((await metadata()).outcomes).toEqual([])
  })

  test("a toc replaces the file's outline, also for chapters, until an empty one restores it", async () => {
    const outline = async () =>
      (await transport.call(server, person, 'get_table_of_contents', { ids: [id] })).body.items[0]
    const toc = [
      { title: 'Part', page: 1, level: 1 },
      { title: 'Chapter', page: 4, level: 2 },
    ]
    await enrich({ toc: [toc[0], { title: 'Chapter', page: 4, level: 2 }] })
    expect((await outline()).toc).toEqual(toc)
    expect((await outline()).tocTree).toMatchObject([
      { title: 'Part', endPage: 6, children: [{ startPage: 4, endPage: 6 }] },
    ])
    const { body } = await transport.call(server, person, 'read_items', { items: [{ id, pages: '5' }] })
    expect(body.items[0].pages[0].chapter).toEqual(['Part', 'Chapter'])
    const withoutLevel = [
      { title: 'Null', page: 1, level: null },
      { title: 'None', page: 2 },
    ]
    expect((await enrich({ toc: withoutLevel })).ok).toBe(true)
    expect((await outline()).toc).toMatchObject([{ level: 1 }, { level: 1 }])
    await enrich({ toc: [] })
    expect((await outline()).toc).toHaveLength(6)
  })

  test.for([
    ['an unknown book', { itemId: 'unknown' }, { status: 404, code: 'NOT_FOUND', message: /Item not found/ }],
    ['a confidence over 1', { confidence: 1.01 }, { message: /confidence must be between 0 and 1/ }],
    ['a confidence below 0', { confidence: -0.01 }, { message: /confidence must be between 0 and 1/ }],
    ['a toc entry on page 0', { toc: [{ title: 'x', page: 0 }] }, { message: /each TOC entry needs a page >= 1/ }],
    ['a toc entry without a page', { toc: [{ title: 'x' }] }, { message: /each TOC entry needs a page >= 1/ }],
    ['a toc entry at level 0', { toc: [{ title: 'x', page: 1, level: 0 }] }, { message: /level >= 1/ }],
    [
      'a toc entry beyond the book',
      { toc: [{ title: 'x', page: 7 }] },
      { message: /page 7 is beyond the book, which has 6/ },
    ],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, { message: /title must be at most 200/ }],
    ['a blank title', { title: ' ' }, { message: /title must not be blank/ }],
    ['an author of 201 characters', { author: 'x'.repeat(201) }, { message: /author must be at most 200/ }],
    [
      'a description of 4,001 characters',
      { description: 'x'.repeat(4001) },
      { message: /description must be at most 4000/ },
    ],
    ['7 outcomes', { outcomes: Array.from({ length: 7 }, () => 'x') }, { message: /outcomes must be at most 6/ }],
    ['an outcome of 141 characters', { outcomes: ['x'.repeat(141)] }, { message: /outcomes must be at most 140/ }],
    ['a prompt without text', { addPrompt: { context: 'x' } }, { message: /addPrompt.prompt is required/ }],
  ] as const)('refuses %s', async ([, change, { message, ...refusal }]) => {
    const invalid = { status: 400, code: 'INVALID_INPUT' }
    expectRefusal(await enrich(change), name, { ...invalid, ...refusal, message })
  })

  test('a table of contents beyond a book of one page is refused', async () => {
    const owner = await server.createPerson()
    const itemId = await makeBook(server, owner, { content: '# Only\n' })
    const answer = await transport.call(server, owner, 'enrich_item', { itemId, toc: [{ title: 'x', page: 2 }] })
    const message = /page 2 is beyond the book, which has 1 page\. Use page 1\./
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message })
  })

  test('a table of contents for a book without text is refused with the next step', async () => {
    const owner = await server.createPerson()
    const itemId = await makeBook(server, owner, { content: '' })
    const answer = await transport.call(server, owner, 'enrich_item', { itemId, toc: [{ title: 'x', page: 1 }] })
    const message = /page 1 is beyond the book, which has 0 pages\. Write its text first\./
    expectRefusal(answer, name, { status: 400, code: 'INVALID_INPUT', message })
  })

  test.for([
    ['200 characters of title and author', { title: '🙂'.repeat(200), author: 'x'.repeat(200) }],
    ['4,000 characters of description', { description: 'x'.repeat(4000) }],
    ['6 outcomes of 140 characters', { outcomes: Array.from({ length: 6 }, () => 'x'.repeat(140)) }],
    ['confidence 0', { confidence: 0 }],
  ] as const)('accepts %s', async ([, change]) => {
    expect((await enrich(change)).ok).toBe(true)
  })

  test('an eleventh prompt is refused and the ten stay', async () => {
    const prompts = Array.from({ length: 10 }, (_, i) => ({ prompt: `prompt ${i}` }))
    await server.running.opened.services.books.change(person.id, id, { set: { prompts } })
    expectRefusal(await enrich({ addPrompt: { prompt: 'one more' } }), name, {
      status: 400,
      code: 'INVALID_INPUT',
      message: /keeps 10 prompts/,
    })
    expect((await metadata()).prompts).toEqual(prompts)
  })

  test('other accounts get NOT_FOUND, and a built-in book cannot be changed', async () => {
    const stranger = await server.createPerson()
    expectRefusal(await enrich({ title: 'mine' }, stranger), name, {
      status: 404,
      code: 'NOT_FOUND',
      message: /Item not found/,
    })
    const builtIn = await makeBook(server, { id: 'system' })
    expectRefusal(await enrich({ itemId: builtIn, title: 'mine' }), name, {
      status: 403,
      code: 'FORBIDDEN',
      message: /not change it/,
    })
  })
})

describe('enrich_item', () => {
  test.for([
    ['no itemId', {}, /itemId is required/],
    ['an empty itemId', { itemId: '' }, /itemId is required/],
    ['malformed JSON', '{"itemId":', /Invalid JSON body/],
  ] as const)('refuses %s over REST', async ([, body, says]) => {
    const answer = await send(server, person.key, { method: 'PATCH', path: '/api/v1/items/enrich', body })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(says)
  })

  test('title, author and outline survive reprocessing, and needs_confirmation is cleared', async () => {
    const { itemId } = await importFile(server, person, {
      filename: 'some_file_name.pdf',
      bytes: await smallBooks.pdf(),
    })
    const toc = [{ title: 'Mine', page: 1, level: 1 }]
    await callOverRest(server, person, 'enrich_item', {
      itemId,
      title: 'The Real Title',
      author: 'Me',
      toc,
      confidence: 1,
    })
    const { body } = await callOverRest(server, person, 'reprocess_item', { itemId })
    expect((await waitForJobEnd(server, person, body.job.id)).status).toBe('SUCCEEDED')
    const outline = await callOverRest(server, person, 'get_table_of_contents', { ids: [itemId] })
    expect(outline.body.items[0]).toMatchObject({ title: 'The Real Title', toc })
    const list = await callOverRest(server, person, 'list_items')
    const item = list.body.items.find((one: { id: string }) => one.id === itemId)
    expect(item).toMatchObject({ author: 'Me', health: 'ok', healthReason: null })
  })
})
