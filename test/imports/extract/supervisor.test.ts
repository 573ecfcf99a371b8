import { expect, test } from 'vitest'
import { scriptedExtractor } from '../../support/extraction.ts'

test('a book arrives complete and in order: info, pages, table of contents', async () => {
  const { read } = await scriptedExtractor()
  const order: string[] = []
  const book = await read(
    {
      info: { title: 'A Title', author: 'An Author', language: 'pt-BR' },
      pageCount: 200,
      steps: [
        { do: 'pages', count: 1, content: '# One', label: 'i' },
        { do: 'pages', count: 199 },
      ],
      toc: [{ title: 'One', page: 1, level: 1 }],
    },
    { onInfo: () => void order.push('info'), onPages: async () => void order.push('pages') },
  )
  expect(order.slice(0, 2)).toEqual(['info', 'pages'])
  expect(order.lastIndexOf('info')).toBe(0)
  expect(book.info).toMatchObject({ title: 'A Title', author: 'An Author', language: 'pt-BR', isbn: null })
  expect(book.pages).toHaveLength(200)
  expect(book.pages[0]).toEqual({ content: '# One', label: 'i', picture: false, garbled: 0 })
  expect(book.toc).toEqual([{ title: 'One', page: 1, level: 1 }])
  expect(book.pageCount).toBe(200)
})

test('the first page is delivered on its own, and batches are numbered without gaps', async () => {
  const { read } = await scriptedExtractor()
  const sizes: number[] = []
  const book = await read(
    { pageCount: 150, steps: [{ do: 'pages', count: 150 }] },
    { onPages: async (pages) => void sizes.push(pages.length) },
  )
  expect(sizes[0]).toBe(1)
  let next = 1
  for (const [at, first] of book.firstPages.entries()) {
    expect(first).toBe(next)
    next += sizes[at] ?? 0
  }
  expect(next).toBe(151)
  expect(book.progress.at(-1)).toEqual([150, 150])
})

test('a book without pages delivers none', async () => {
  const { read } = await scriptedExtractor()
  const book = await read({ steps: [] })
  expect(book).toMatchObject({ pageCount: 0, pages: [], toc: [], resources: { firstPageMs: null } })
})

test('the result of a book contains the resources used', async () => {
  const { read } = await scriptedExtractor()
  const { resources } = await read({ steps: [{ do: 'pages', count: 3 }] })
  expect(resources.peakRssBytes).toBeGreaterThan(20_000_000)
  expect(resources.firstPageMs).toBeGreaterThan(0)
  expect(resources.wallMs).toBeGreaterThanOrEqual(resources.firstPageMs ?? Infinity)
})

test('a book is not mixed up with three others that are read concurrently', async () => {
  const { extractor, read } = await scriptedExtractor()
  const names = ['one', 'two', 'three']
  const books = await Promise.all(
    names.map((name) => read({ info: { title: name }, steps: [{ do: 'pages', count: 100, content: name }] })),
  )
  expect(books.map(({ info }) => info.title)).toEqual(names)
  for (const [at, book] of books.entries()) {
    expect(book.pages).toHaveLength(100)
    expect(new Set(book.pages.map(({ content }) => content))).toEqual(new Set([names[at]]))
  }
  expect(extractor.pids()).toHaveLength(3)
})
