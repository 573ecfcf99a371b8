import { describe, expect, test } from 'vitest'
import { rest, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { importFile } from '../../support/uploads.ts'
import { smallBooks } from '../../support/small-books.ts'

const server = useTestServer()

describe.for(transports)('search over %s finds at once', ([, transport]) => {
  const call = async (person: Person, tool: string, input: Record<string, unknown>): Promise<ToolResponse['body']> => {
    const answer = await transport.call(server, person, tool, input)
    if (!answer.ok) throw new Error(`${tool}: ${answer.text}`)
    return answer.body
  }
  /** The pages on which a word is found; null if no book is found. */
  const pagesWith = async (person: Person, query: string): Promise<number[] | null> => {
    const { items } = await call(person, 'search_items', { query })
    return items.length === 0 ? null : items[0].hits.map(({ page }: { page: number }) => page)
  }
  const threePages = '# One\n\nalpha\n\n# Two\n\nbravo\n\n# Three\n\ncharlie\n'

  test('a created book', async () => {
    const person = await server.createPerson()
    await call(person, 'create_markdown_item', { title: 'New', content: threePages })
    expect(await pagesWith(person, 'bravo')).toEqual([2])
  })

  test('the new text of a replaced page and not the old one', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: threePages })
    await call(person, 'put_item_page', { id, pageNum: 2, content: '# Two\n\ndelta\n' })
    expect(await pagesWith(person, 'delta')).toEqual([2])
    expect(await pagesWith(person, 'bravo')).toBeNull()
    expect(await pagesWith(person, 'charlie')).toEqual([3])
  })

  test('the chapters of a replaced page', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: threePages })
    await call(person, 'put_item_page', { id, pageNum: 2, content: '# Renamed chapter\n\nbravo\n' })
    const { items } = await call(person, 'search_items', { query: 'bravo' })
    expect(items[0].hits).toMatchObject([{ page: 2, chapter: ['Renamed chapter'] }])
    expect(await pagesWith(person, 'renamed')).toEqual([2])
    expect(await pagesWith(person, 'two')).toBeNull()
  })

  test('the moved pages after pages were prepended', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: threePages })
    await call(person, 'append_item_pages', { id, content: '# Zero\n\necho\n', position: 'start' })
    expect(await pagesWith(person, 'echo')).toEqual([1])
    expect(await pagesWith(person, 'charlie')).toEqual([4])
  })

  test('new content and a restored version', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: threePages })
    await call(person, 'put_item_content', { id, content: '# Only\n\nfoxtrot\n' })
    expect(await pagesWith(person, 'alpha')).toBeNull()
    expect(await pagesWith(person, 'foxtrot')).toEqual([1])
    await call(person, 'restore_item_version', { id, version: 1 })
    expect(await pagesWith(person, 'charlie')).toEqual([3])
    expect(await pagesWith(person, 'foxtrot')).toBeNull()
  })

  test('an emptied book only by its title', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Emptied', content: threePages })
    await call(person, 'put_item_content', { id, content: '' })
    expect(await pagesWith(person, 'alpha')).toBeNull()
    expect(await pagesWith(person, 'emptied')).toEqual([])
  })

  test('title, author, description and table of contents of an enriched book', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Before', content: threePages })
    const toc = [{ title: 'A chapter on golf', page: 2 }]
    const about = { title: 'Hotel', author: 'India Juliett', description: 'About kilos' }
    await call(person, 'enrich_item', { itemId: id, ...about, toc })
    for (const query of ['hotel', 'juliett', 'kilo']) expect(await pagesWith(person, query)).toEqual([])
    expect(await pagesWith(person, 'golf')).toEqual([2])
    expect(await pagesWith(person, 'before')).toBeNull()
  })

  test('each of many edits of one book, and no outdated text', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: threePages })
    for (let edit = 0; edit < 12; edit++) {
      await call(person, 'put_item_page', { id, pageNum: 1 + (edit % 3), content: `# Edit\n\nlima${edit}x\n` })
      expect(await pagesWith(person, `lima${edit}x`)).toEqual([1 + (edit % 3)])
      if (edit >= 3) expect(await pagesWith(person, `lima${edit - 3}x`)).toBeNull()
    }
  })
})

test.for(['epub', 'pdf', 'markdown'] as const)(
  'an imported %s is found as soon as its job has succeeded',
  async (format) => {
    const person = await server.createPerson()
    const filename = `sea.${format === 'markdown' ? 'md' : format}`
    await importFile(server, person, { filename, bytes: await smallBooks[format]() })
    const { body } = await rest.call(server, person, 'search_items', { query: 'ships' })
    expect(body.items).toMatchObject([{ hits: [{ page: 2 }] }])
    expect(body.items[0].hits[0].snippet).toContain('The second page speaks of ships.')
  },
)
