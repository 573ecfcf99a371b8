import { rest } from './transports.ts'
import { makeBook, markdownPages } from './make-book.ts'
import type { Person, TestServer } from './server.ts'
import { sendFile } from './uploads.ts'

/** A prepared call by another account than the owner. */
interface PreparedCall {
  input: Record<string, unknown>
  caller?: Person
}

/** An account with the initial data of a write. */
class WriteFixture {
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
  callAsOwner = (tool: string, input: Record<string, unknown>) => this.call(this.owner, tool, input)
  createBook = () => makeBook(this.server, this.owner, { title: 'A book', content: markdownPages(5) })
  createEditedBook = async () => {
    const id = await this.createBook()
    await this.callAsOwner('put_item_page', { id, pageNum: 2, content: '# Page 2\n\nother\n' })
    return id
  }
  createBookAndTeam = async () => {
    const itemId = await this.createBook()
    const { team } = await this.callAsOwner('create_team', { name: 'Us' })
    return { itemId, teamId: team.id as string }
  }
  publishBook = async () => {
    const itemId = await this.createBook()
    return { itemId, id: (await this.callAsOwner('publish_listing', { itemId })).listing.id as string }
  }
  /** A published book and a subscriber. */
  subscribeReader = async () => {
    const { itemId, id: listingId } = await this.publishBook()
    const caller = await this.server.createPerson()
    await this.call(caller, 'subscribe_marketplace', { listingId })
    return { itemId, listingId, by: caller }
  }
}

const gap = { intent: 'to learn it', category: 'other', subcategory: 'weaving' }
const file = { filename: 'notes.md', bytes: Buffer.from('# One\n\ntext\n') }

/** Calls that write, by tool. */
const preparations: Record<string, (scene: WriteFixture) => Promise<PreparedCall>> = {
  create_markdown_item: async () => ({ input: { title: 'New', content: markdownPages(3) } }),
  append_item_pages: async ({ createBook: book }) => ({ input: { id: await book(), content: '# More\n\ntext\n' } }),
  put_item_page: async ({ createBook: book }) => ({
    input: { id: await book(), pageNum: 3, content: '# Page 3\n\nnew\n' },
  }),
  put_item_content: async ({ createBook: book }) => ({ input: { id: await book(), content: markdownPages(2) } }),
  restore_item_version: async ({ createEditedBook: edited }) => ({ input: { id: await edited(), version: 1 } }),
  enrich_item: async ({ createBook: book }) => ({ input: { itemId: await book(), toc: [{ title: 'One', page: 1 }] } }),
  delete_items: async ({ createBook: book, createEditedBook: edited }) => ({
    input: { ids: [await edited(), await book()] },
  }),
  start_upload: async () => ({ input: { filename: 'notes.md', size: 10, contentType: 'text/markdown' } }),
  confirm_upload: async ({ server, owner }) => {
    const { itemId, storageKey } = await sendFile(server, owner, file)
    return { input: { itemId, storageKey } }
  },
  upload_file: async () => ({ input: { filename: file.filename, file: file.bytes.toString() } }),
  create_shelf: async () => ({ input: { name: 'Shelf' } }),
  add_to_shelf: async ({ callAsOwner: own, createBook: book }) => {
    const { id } = await own('create_shelf', { name: 'Shelf' })
    return { input: { shelf: id, itemIds: [await book()] } }
  },
  create_manuscript: async () => ({ input: { title: 'Notes' } }),
  archive_manuscript: async ({ callAsOwner: own }) => {
    const { manuscript } = await own('create_manuscript', { title: 'Notes' })
    return { input: { manuscriptId: manuscript.id } }
  },
  publish_listing: async ({ createBook: book }) => ({ input: { itemId: await book() } }),
  withdraw_listing: async ({ publishBook: published }) => ({ input: { id: (await published()).id } }),
  subscribe_marketplace: async ({ server, publishBook: published }) => {
    return { input: { listingId: (await published()).id }, caller: await server.createPerson() }
  },
  unsubscribe_marketplace: async ({ subscribeReader: subscribed }) => {
    const { listingId, by } = await subscribed()
    return { input: { listingId }, caller: by }
  },
  create_team: async () => ({ input: { name: 'Us' } }),
  invite_team_member: async ({ createBookAndTeam: shared }) => {
    return { input: { teamId: (await shared()).teamId, email: 'guest@lectern.example' } }
  },
  share_item: async ({ createBookAndTeam: shared }) => ({ input: { ...(await shared()), accessLevel: 'READ' } }),
  unshare_item: async ({ callAsOwner: own, createBookAndTeam: shared }) => {
    const input = await shared()
    await own('share_item', { ...input, accessLevel: 'WRITE' })
    return { input }
  },
  delete_team: async ({ createBookAndTeam: shared }) => ({ input: { teamId: (await shared()).teamId } }),
  report_book_gap: async ({ subscribeReader: subscribed }) => {
    const { itemId, by } = await subscribed()
    return { input: { itemId, ...gap }, caller: by }
  },
  resolve_book_gap: async ({ call, subscribeReader: subscribed }) => {
    const { itemId, by } = await subscribed()
    await call(by, 'report_book_gap', { itemId, ...gap })
    return { input: { itemId, subcategory: gap.subcategory } }
  },
}

/** The tools with preparations. */
export const writingTools = Object.keys(preparations)

/** Prepares the initial data for a call of a writing tool; `by` performs the call. */
export async function prepareWrite(
  server: TestServer,
  tool: string,
): Promise<{ input: Record<string, unknown>; by: Person }> {
  const owner = await server.createPerson()
  const prepare = preparations[tool]
  if (!prepare) throw new Error(`There is no writing call of ${tool}`)
  const { input, caller = owner } = await prepare(new WriteFixture(server, owner))
  return { input, by: caller }
}
