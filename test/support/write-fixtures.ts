import { doors, type Door } from './transports.ts'
import { makeBook, pagesOf } from './make-book.ts'
import type { Person, TestServer } from './server.ts'
import { sendFile } from './uploads.ts'

/** What is to be called, by whom else than the owner. */
interface Prepared {
  input: Record<string, unknown>
  by?: Person
}

const rest = doors[0]?.[1] as Door

/** An account of its own, with what a write begins with. */
class Scene {
  readonly server: TestServer
  readonly owner: Person
  constructor(server: TestServer, owner: Person) {
    this.server = server
    this.owner = owner
  }

  call = async (person: Person, tool: string, input: Record<string, unknown>): Promise<any> => {
    const { ok, body } = await rest.call(this.server, person, tool, input)
    if (!ok) throw new Error(`${tool}: ${JSON.stringify(body)}`)
    return body
  }
  own = (tool: string, input: Record<string, unknown>) => this.call(this.owner, tool, input)
  book = () => makeBook(this.server, this.owner, { title: 'A book', content: pagesOf(5) })
  edited = async () => {
    const id = await this.book()
    await this.own('put_item_page', { id, pageNum: 2, content: '# Page 2\n\nother\n' })
    return id
  }
  shared = async () => {
    const itemId = await this.book()
    const { team } = await this.own('create_team', { name: 'Us' })
    return { itemId, teamId: team.id as string }
  }
  published = async () => {
    const itemId = await this.book()
    return { itemId, id: (await this.own('publish_listing', { itemId })).listing.id as string }
  }
  /** A published book and somebody who has added it. */
  subscribed = async () => {
    const { itemId, id: listingId } = await this.published()
    const by = await this.server.person()
    await this.call(by, 'subscribe_marketplace', { listingId })
    return { itemId, listingId, by }
  }
}

const gap = { intent: 'to learn it', category: 'other', subcategory: 'weaving' }
const file = { filename: 'notes.md', bytes: Buffer.from('# One\n\ntext\n') }

/** Calls that write, by tool. */
const writes: Record<string, (scene: Scene) => Promise<Prepared>> = {
  create_markdown_item: async () => ({ input: { title: 'New', content: pagesOf(3) } }),
  append_item_pages: async ({ book }) => ({ input: { id: await book(), content: '# More\n\ntext\n' } }),
  put_item_page: async ({ book }) => ({ input: { id: await book(), pageNum: 3, content: '# Page 3\n\nnew\n' } }),
  put_item_content: async ({ book }) => ({ input: { id: await book(), content: pagesOf(2) } }),
  restore_item_version: async ({ edited }) => ({ input: { id: await edited(), version: 1 } }),
  enrich_item: async ({ book }) => ({ input: { itemId: await book(), toc: [{ title: 'One', page: 1 }] } }),
  delete_items: async ({ book, edited }) => ({ input: { ids: [await edited(), await book()] } }),
  start_upload: async () => ({ input: { filename: 'notes.md', size: 10, contentType: 'text/markdown' } }),
  confirm_upload: async ({ server, owner }) => {
    const { itemId, storageKey } = await sendFile(server, owner, file)
    return { input: { itemId, storageKey } }
  },
  create_shelf: async () => ({ input: { name: 'Shelf' } }),
  add_to_shelf: async ({ own, book }) => {
    const { id } = await own('create_shelf', { name: 'Shelf' })
    return { input: { shelf: id, itemIds: [await book()] } }
  },
  create_manuscript: async () => ({ input: { title: 'Notes' } }),
  archive_manuscript: async ({ own }) => {
    const { manuscript } = await own('create_manuscript', { title: 'Notes' })
    return { input: { manuscriptId: manuscript.id } }
  },
  publish_listing: async ({ book }) => ({ input: { itemId: await book() } }),
  withdraw_listing: async ({ published }) => ({ input: { id: (await published()).id } }),
  subscribe_marketplace: async ({ server, published }) => {
    return { input: { listingId: (await published()).id }, by: await server.person() }
  },
  unsubscribe_marketplace: async ({ subscribed }) => {
    const { listingId, by } = await subscribed()
    return { input: { listingId }, by }
  },
  create_team: async () => ({ input: { name: 'Us' } }),
  invite_team_member: async ({ shared }) => {
    return { input: { teamId: (await shared()).teamId, email: 'guest@lectern.example' } }
  },
  share_item: async ({ shared }) => ({ input: { ...(await shared()), accessLevel: 'READ' } }),
  unshare_item: async ({ own, shared }) => {
    const input = await shared()
    await own('share_item', { ...input, accessLevel: 'WRITE' })
    return { input }
  },
  delete_team: async ({ shared }) => ({ input: { teamId: (await shared()).teamId } }),
  report_book_gap: async ({ subscribed }) => {
    const { itemId, by } = await subscribed()
    return { input: { itemId, ...gap }, by }
  },
  resolve_book_gap: async ({ call, subscribed }) => {
    const { itemId, by } = await subscribed()
    await call(by, 'report_book_gap', { itemId, ...gap })
    return { input: { itemId, subcategory: gap.subcategory } }
  },
}

/** The tools of these calls. */
export const writingTools = Object.keys(writes)

/** Makes what a call of a writing tool begins with; `by` makes it. */
export async function prepareWrite(
  server: TestServer,
  tool: string,
): Promise<{ input: Record<string, unknown>; by: Person }> {
  const owner = await server.person()
  const prepare = writes[tool]
  if (!prepare) throw new Error(`There is no writing call of ${tool}`)
  const { input, by = owner } = await prepare(new Scene(server, owner))
  return { input, by }
}
