import { createShelf } from '../../src/shelves/create-shelf.ts'
import { contextOf } from './context.ts'
import type { Person, TestServer } from './server.ts'

/** Creates a shelf without using up its owner's rate bucket. */
export async function makeShelf(server: TestServer, owner: Pick<Person, 'id'>, name: string) {
  return createShelf(await contextOf(server, owner), { name })
}

/** The slugs of a person's shelves in display order. */
export async function shelfSlugs(server: TestServer, { id }: Pick<Person, 'id'>): Promise<string[]> {
  return (await server.running.opened.services.shelves.list(id)).map(({ slug }) => slug)
}
