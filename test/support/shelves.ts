import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import type { Context } from '../../src/app/context.ts'
import { createLog } from '../../src/app/log.ts'
import { createShelf } from '../../src/shelves/create-shelf.ts'
import type { Person, TestServer } from './server.ts'

/** A context that acts for a person without a door and without its rate buckets. */
export async function contextOf(server: TestServer, { id }: Pick<Person, 'id'>): Promise<Context> {
  const { services } = server.running.opened
  const account = await services.accounts.byId(id)
  if (!account) throw new Error(`There is no account ${id}`)
  return createAccountContext({ services, log: createLog('silent') }, account)
}

/** Makes a shelf without using up the rate bucket of its owner. */
export async function makeShelf(server: TestServer, owner: Pick<Person, 'id'>, name: string) {
  return createShelf(await contextOf(server, owner), { name })
}

/** The slugs of a person's shelves in display order. */
export async function shelfSlugs(server: TestServer, { id }: Pick<Person, 'id'>): Promise<string[]> {
  return (await server.running.opened.services.shelves.list(id)).map(({ slug }) => slug)
}
