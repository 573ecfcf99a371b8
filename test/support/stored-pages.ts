import type { Book } from '../../src/books/book.ts'
import { pageRefs } from '../../src/reading/store.ts'
import type { Person, TestServer } from './server.ts'

/** The row of a book. */
export async function findOwnedBook(server: TestServer, person: Pick<Person, 'id'>, id: string): Promise<Book> {
  const [book] = await server.running.opened.services.books.findOwned(person.id, [id])
  if (!book) throw new Error(`${person.id} has no book ${id}`)
  return book
}

/** The stored pages of a book, in its current version or an earlier one; charges nothing. */
export async function storedPages(
  server: TestServer,
  person: Pick<Person, 'id'>,
  { id, version }: { id: string; version?: number },
): Promise<string[]> {
  const { contents } = server.running.opened.services
  const versionNumber = version ?? (await findOwnedBook(server, person, id)).version
  const manifest = await contents.findSealedManifest(id, versionNumber)
  if (!manifest) throw new Error(`Book ${id} has no version ${versionNumber}`)
  const pages = await contents.getPages([...pageRefs(manifest, 1, manifest.pageCount)])
  return pages.map(({ content }) => content)
}
