import { createShelf } from '../../src/shelves/create-shelf.ts'
import { contextOf } from './context.ts'
import type { Person, TestServer } from './server.ts'

/** Makes a shelf without using up the rate bucket of its owner. */
export async function makeShelf(server: TestServer, owner: Pick<Person, 'id'>, name: string) {
  return createShelf(await contextOf(server, owner), { name })
}

/** The slugs of a person's shelves in display order. */
export async function shelfSlugs(server: TestServer, { id }: Pick<Person, 'id'>): Promise<string[]> {
  return (await server.running.opened.services.shelves.list(id)).map(({ slug }) => slug)
}
