import { describe, expect, test } from 'vitest'
import { mcp, send, transports, type ToolResponse } from '../../support/transports.ts'
import { expectRefusal, type ExpectedRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const wholeText = async (person: Person, id: string) =>
  (await send(server, person.key, { method: 'GET', path: `/api/v1/items/${id}/content` })).body.content as string

const listed = async (person: Person) =>
  (await send(server, person.key, { method: 'GET', path: '/api/v1/items' })).body.items as unknown[]

const invalid = (says: RegExp): ExpectedRefusal => ({ status: 400, code: 'INVALID_INPUT', message: says })

describe.for(transports)('create_markdown_item over %s', ([name, transport]) => {
  const create = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
    transport.call(server, person, 'create_markdown_item', input)

  test('returns 201 with the fields of the contract', async () => {
    const person = await server.createPerson()
    const { body, status } = await create(person, { title: 'Sea', description: 'About it', content: '# A\n# B\n' })
    expect(status).toBe(name === 'rest' ? 201 : 200)
    expect(body).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{26}$/),
      title: 'Sea',
      description: 'About it',
      sourceType: 'markdown',
      status: 'READY',
      pageCount: 2,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.createdAt,
    })
  })

  test.for([
    ['text without headings is one page', 'just text', ['just text']],
    ['text before the first heading is page 1', 'intro\n# A\na', ['intro\n', '# A\na']],
    ['blank text before the first heading belongs to it', '\n \n# A\na\n# B', ['\n \n# A\na\n', '# B']],
    ['headings in code fences do not split', '# A\n```\n# not\n```\n# B\n', ['# A\n```\n# not\n```\n', '# B\n']],
    ['lower headings do not split', '# A\n## a\n### b\n', ['# A\n## a\n### b\n']],
    ['Windows line ends stay', '# A\r\nx\r\n# B\r\n', ['# A\r\nx\r\n', '# B\r\n']],
    ['empty content has no page', '', []],
    [
      'NUL, bidi and tag characters stay',
      '# \u0000\u202e\u{e0041}\n\ud83d\ude00',
      ['# \u0000\u202e\u{e0041}\n\ud83d\ude00'],
    ],
    ['composed and decomposed letters stay different', '# é\n# e\u0301\n', ['# é\n', '# e\u0301\n']],
  ] as const)('%s', async ([, content, pages]) => {
    const person = await server.createPerson()
    const { body } = await create(person, { title: 'T', content })
    expect(body.pageCount).toBe(pages.length)
    expect(await wholeText(person, body.id)).toBe(content)
    const read = await transport.call(server, person, 'read_items', { items: [{ id: body.id }] })
    expect(read.body.items[0].pages.map((page: { content: string }) => page.content)).toEqual(pages)
  })

  test('a book without content is ready and empty', async () => {
    const person = await server.createPerson()
    const { body } = await create(person, { title: 'T' })
    expect(body).toMatchObject({ pageCount: 0, status: 'READY', description: null })
    expect(await listed(person)).toMatchObject([{ health: 'empty', healthReason: expect.stringMatching(/no text/) }])
  })

  test('trims the title and limits its characters, not its code units', async () => {
    const person = await server.createPerson()
    expect((await create(person, { title: '  Sea  ' })).body.title).toBe('Sea')
    expect((await create(person, { title: '😀'.repeat(200) })).ok).toBe(true)
  })

  test.for([
    ['a title of 200 characters', { title: 'x'.repeat(200) }],
    ['a description of 4,000', { title: 'T', description: 'x'.repeat(4000) }],
    ['content of 1,000,000 bytes', { title: 'T', content: 'é'.repeat(500_000) }],
    ['1,000 pages', { title: 'T', content: '# x\n'.repeat(1000) }],
  ] as const)('accepts %s', async ([, input]) => {
    expect((await create(await server.createPerson(), input)).ok).toBe(true)
  })

  const tooLarge = {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: /content exceeds 1000000 bytes per request.*append/s,
  }
  // Over MCP null counts as omitted.
  const nullContent: [string, Record<string, unknown>, ExpectedRefusal] = [
    'content that is null',
    { title: 'T', content: null },
    invalid(/content must be a string/),
  ]
  test.for<[string, Record<string, unknown>, ExpectedRefusal]>([
    ...(name === 'rest' ? [nullContent] : []),
    ['no title', {}, invalid(/title is required/)],
    ['an empty title', { title: '' }, invalid(/title is required/)],
    ['a blank title', { title: ' \n ' }, invalid(/title is required/)],
    ['a title that is a number', { title: 5 }, invalid(/title must be a string/)],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, invalid(/title.*200/)],
    ['a title with a lone surrogate', { title: 'a\ud800' }, invalid(/title.*surrogate/)],
    ['a description of 4,001', { title: 'T', description: 'x'.repeat(4001) }, invalid(/description.*4000/)],
    ['a description with a lone surrogate', { title: 'T', description: '\udc00' }, invalid(/description.*surrogate/)],
    ['content that is a number', { title: 'T', content: 5 }, invalid(/content must be a string/)],
    ['content that is an object', { title: 'T', content: { $gt: '' } }, invalid(/content must be a string/)],
    ['content with a lone surrogate', { title: 'T', content: 'a\ud83d' }, invalid(/content.*surrogate/)],
    ['content of 1,000,001 bytes', { title: 'T', content: `${'é'.repeat(500_000)}x` }, tooLarge],
    ['1,001 pages', { title: 'T', content: '# x\n'.repeat(1001) }, invalid(/1001 pages.*1000/)],
  ])('refuses %s and stores nothing', async ([, input, refusal]) => {
    const person = await server.createPerson({ plan: 'FREE' })
    expectRefusal(await create(person, input), name, refusal)
    expect(await listed(person)).toEqual([])
  })

  test('refuses a book over the item limit and names the plan and the upgrade URL', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    await seedBooks(server, person, { count: 20 })
    expectRefusal(await create(person, { title: 'T' }), name, {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /Your library is full\. Upgrade to add more items\./,
      fields: { tier: 'FREE', itemCount: 20, itemLimit: 20, upgradeUrl: `${server.baseUrl}/plans` },
    })
    expect(await listed(person)).toHaveLength(20)
  })

  test('a deleted book frees its slot', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    const ids = await seedBooks(server, person, { count: 20 })
    await transport.call(server, person, 'delete_items', { ids: [ids[0]] })
    expect((await create(person, { title: 'T' })).ok).toBe(true)
    expect((await create(person, { title: 'T' })).ok).toBe(false)
  })
})

test('over MCP a full library gives a text for the user, and unknown fields are refused by name', async () => {
  const person = await server.createPerson({ plan: 'FREE' })
  const unknown = await mcp.call(server, person, 'create_markdown_item', { title: 'T', colour: 'red' })
  expectRefusal(unknown, 'mcp', { status: 400, code: 'INVALID_INPUT', message: /colour: unknown field/ })
  await seedBooks(server, person, { count: 20 })
  expect((await mcp.call(server, person, 'create_markdown_item', { title: 'T' })).text).toMatch(/^UPGRADE REQUIRED/)
})

test('over REST unknown fields are ignored, and content of only escaped characters is accepted', async () => {
  const { key } = await server.createPerson()
  const path = '/api/v1/items/markdown'
  expect((await send(server, key, { method: 'POST', path, body: { title: 'T', colour: 'red' } })).status).toBe(201)
  const body = `{"title":"T","content":"${'\\u0041'.repeat(1_000_000)}"}`
  expect((await send(server, key, { method: 'POST', path, body })).status).toBe(201)
})
