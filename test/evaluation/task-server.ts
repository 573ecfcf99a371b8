import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/accounts/create-account.ts'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { type Plan } from '../../src/core/plan.ts'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { listLibraryBooks } from '../../src/books/access.ts'
import { enrichItem } from '../../src/books/enrich-item.ts'
import type { Context } from '../../src/app/context.ts'
import { makeBook } from '../support/make-book.ts'
import { readsUsed } from '../support/charge-reads.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { contextOf } from '../support/context.ts'
import { storedPages } from '../support/stored-pages.ts'
import { corpus, pagesOf, textOf, type BookKey } from './corpus.ts'
import { createPlaceholders, type Placeholders } from './placeholders.ts'
import type { InitialState } from './task.ts'

/** A book that answers may cite, with all texts that its pages have had. */
export interface KnownBook {
  title: string
  pages: string[][]
}

/** A separate server for one task, with its user. */
export interface TaskServer {
  server: TestServer
  user: Person
  symbols: Placeholders
  /** Another account, created at the first use. */
  createOtherAccount(name: string): Promise<Person>
  contextOf(person: Pick<Person, 'id'>): Promise<Context>
  /** Creates a book of the corpus for a person and registers its id. */
  addBook(owner: Pick<Person, 'id'>, key: BookKey): Promise<string>
  bookId(key: BookKey): string
  readsUsed(): Promise<number>
  /** The texts of the task's books, including books created during the task. */
  knownBooks(): Promise<KnownBook[]>
  close(): Promise<void>
}

const unlimitedPlan: Omit<Plan, 'tier'> = {
  tierDisplay: 'Reader',
  itemLimit: 1000,
  monthlyReadLimit: null,
  previewPages: 2,
  uploadMb: 25,
  storageMb: null,
  textMb: 25,
  shelfLimit: 20,
  manuscriptSlots: 100,
  canPublish: true,
}

/** Starts a server with an empty library for the user of a task; other accounts are on a plan without limits. */
export async function openTaskServer(start: InitialState): Promise<TaskServer> {
  const { pdf, rateLimits: limits } = start
  const plans = await writePlans(start)
  // Workers are only needed if a file is imported.
  const environment = { LECTERN_PLANS_FILE: plans.file, LECTERN_ROLE: pdf ? 'all' : 'web' }
  const server = await startTestServer(environment, { rateLimits: { ...rateLimits, ...limits } }).finally(plans.remove)
  try {
    return await createTaskServer(server, start)
  } catch (error) {
    await server.close()
    throw error
  }
}

/** Writes the current and future plans of the user to a file, which is read at startup only. */
async function writePlans({ plan, laterPlan }: InitialState) {
  const first = { ...unlimitedPlan, ...plan }
  const plans = [...builtInPlans, { ...first, tier: 'USERS' }, { ...first, ...laterPlan, tier: 'LATER' }]
  const directory = await mkdtemp(join(tmpdir(), 'lectern-evaluation-'))
  const file = join(directory, 'plans.json')
  await writeFile(file, JSON.stringify(plans))
  return { file, remove: () => rm(directory, { recursive: true }) }
}

async function createTaskServer(server: TestServer, { scopes }: InitialState): Promise<TaskServer> {
  const { services } = server.running.opened
  const symbols = createPlaceholders(server.baseUrl)
  const person = async (name: string, tier?: string): Promise<Person> => {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@lectern.example`
    const { id } = await createAccount(services, { email, name, plan: tier })
    symbols.define(id, `account:${name}`)
    return { id, email, key: (await createApiKey(services, id, { scopes: tier ? scopes : undefined })).key }
  }
  const user = await person('Ada Lovell', 'USERS')
  const books = new Map<BookKey, string>()
  return {
    server,
    user,
    symbols,
    createOtherAccount: (name) => person(name),
    contextOf: (who) => contextOf(server, who),
    async addBook(owner, key) {
      const { title, description, author } = corpus[key]
      const id = await makeBook(server, owner, { title, description, content: textOf(key) })
      await enrichItem(await contextOf(server, owner), { itemId: id, author })
      books.set(key, id)
      symbols.define(id, `book:${key}`)
      return id
    },
    bookId(key) {
      const id = books.get(key)
      if (id === undefined) throw new Error(`The task has no book ${key}`)
      return id
    },
    readsUsed: () => readsUsed(server, user),
    knownBooks: async () => mergeByTitle([...[...books.keys()].map(corpusBook), ...(await readLibrary(server, user))]),
    close: () => server.close(),
  }
}

function corpusBook(key: BookKey): KnownBook {
  return { title: corpus[key].title, pages: pagesOf(key).map((page) => [page]) }
}

/** Returns the books that the user can open, with their current pages. */
async function readLibrary(server: TestServer, user: Person): Promise<KnownBook[]> {
  const books = await listLibraryBooks(await contextOf(server, user))
  return Promise.all(
    books.map(async ({ id, title, ownerId }) => {
      const pages = await storedPages(server, { id: ownerId }, { id })
      return { title, pages: pages.map((page) => [page]) }
    }),
  )
}

function mergeByTitle(books: KnownBook[]): KnownBook[] {
  const byTitle = new Map<string, KnownBook>()
  for (const { title, pages } of books) {
    const known = byTitle.get(title) ?? { title, pages: [] }
    byTitle.set(title, known)
    for (const [at, texts] of pages.entries()) known.pages[at] = [...(known.pages[at] ?? []), ...texts]
  }
  return [...byTitle.values()]
}
