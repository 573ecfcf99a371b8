import { createAccountContext, systemAccount } from '../../src/admin/commands/account-context.ts'
import { createMarkdownItem } from '../../src/writing/create-markdown-item.ts'
import { systemOwner } from '../../src/books/book.ts'
import { createLog } from '../../src/app/log.ts'
import type { Person, TestServer } from './server.ts'

interface NewBook {
  title?: string
  description?: string
  content?: string
}

/** Creates a Markdown book without using up its owner's rate buckets; returns its id. */
export async function makeBook(
  server: Pick<TestServer, 'running'>,
  owner: Pick<Person, 'id'>,
  book: NewBook = {},
): Promise<string> {
  const { services } = server.running.opened
  const account = owner.id === systemOwner ? systemAccount(services) : await services.accounts.byId(owner.id)
  if (!account) throw new Error(`There is no account ${owner.id}`)
  const ctx = createAccountContext({ services, log: createLog('silent') }, account)
  const { id } = await createMarkdownItem(ctx, { title: 'A Book', ...book })
  return id
}

/** A Markdown text of `count` pages, each beginning with `# Page n`. */
export function markdownPages(count: number): string {
  return Array.from({ length: count }, (_, index) => `# Page ${index + 1}\n\ntext ${index + 1}\n`).join('')
}
