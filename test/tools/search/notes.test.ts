import { expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const prose = (sentences: number) => 'The boats came home before the night. '.repeat(sentences)
/** Most notes are short and have none of the words. The long ones that have one raise the average length of those that match. */
const pages = [
  `Lighthouse. ${prose(2)}`,
  `Lighthouse. ${prose(7)}`.repeat(4),
  ...Array.from({ length: 8 }, () => `Harbour. ${prose(28)}`),
  ...Array.from({ length: 40 }, () => prose(1)),
]

test('notes are ranked like the pages of one book', async () => {
  const [writer, reader] = [await server.createPerson(), await server.createPerson()]
  const notes: string[] = []
  for (const page of pages) notes.push(await makeBook(server, writer, { title: '·', content: page }))
  await makeBook(server, reader, { title: '·', content: pages.map((page, at) => `# ${at}\n\n${page}\n`).join('\n') })
  const query = 'lighthouse harbour'
  const ofNotes = await callOverRest(server, writer, 'search_items', { query })
  const ofBook = await callOverRest(server, reader, 'search_items', { query })
  const [book] = ofBook.body.items
  expect(book.hits.map(({ page }: { page: number }) => page).slice(0, 1)).toEqual([1])
  expect(ofNotes.body.items[0].id).toBe(notes[0])
})
