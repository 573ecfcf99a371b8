import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import type { Book } from '../../src/books/book.ts'
import type { Context } from '../../src/app/context.ts'
import { createLog } from '../../src/app/log.ts'
import { pageRefs } from '../../src/reading/store.ts'
import type { Services } from '../../src/app/context.ts'
import type { Person, TestServer } from './server.ts'

/** A context in which a test acts for somebody, without rate limits. */
export async function contextOf(services: Services, person: Pick<Person, 'id'>): Promise<Context> {
  const account = await services.accounts.byId(person.id)
  if (!account) throw new Error(`There is no account ${person.id}`)
  return createAccountContext({ services, log: createLog('silent') }, account)
}

/** The row of a book. */
export async function findOwnedBook(server: TestServer, person: Pick<Person, 'id'>, id: string): Promise<Book> {
  const [book] = await server.running.opened.services.books.findOwned(person.id, [id])
  if (!book) throw new Error(`${person.id} has no book ${id}`)
  return book
}

/** The pages of a book as they are stored, of its current version or an earlier one; nothing is charged. */
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
