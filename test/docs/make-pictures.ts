// Takes the pictures of the documents in a real browser: `npm run docs:pictures -- FOLDER`. The folder has the books that
// `books` names, below `pdf` and `epub`; they come with Debian's packages developers-reference, debian-policy and
// live-manual-epub.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { root } from './read-documents.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { launchBrowser } from '../support/system-needs.ts'
import { rest } from '../support/transports.ts'
import { addFile, waitForJobEnd } from '../support/uploads.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'

/** The files and their shelves; the last one is the first of the library. */
const books: readonly [file: string, shelf: string][] = [
  ['epub/live-manual.it.epub', 'live-systems'],
  ['epub/live-manual.pl.epub', 'live-systems'],
  ['epub/live-manual.pt_BR.epub', 'live-systems'],
  ['epub/live-manual.es.epub', 'live-systems'],
  ['epub/live-manual.fr.epub', 'live-systems'],
  ['pdf/fhs-3.0.pdf', 'debian'],
  ['pdf/policy.pdf', 'debian'],
  ['epub/live-manual.ja.epub', 'live-systems'],
  ['epub/live-manual.de.epub', 'live-systems'],
  ['epub/live-manual.en.epub', 'live-systems'],
  ['pdf/developers-reference.pdf', 'debian'],
]

/** What an assistant has read of the last book. */
const readRanges = ['17-30', '20', '20-24', '20', '39-60', '44-48', '20', '102-114']

const window = { width: 1280, height: 820 }

async function main(folder: string | undefined): Promise<void> {
  if (folder === undefined) throw new Error('Name the folder of the books: npm run docs:pictures -- FOLDER')
  const server = await startTestServer()
  const browser = await launchBrowser({ windows: true })
  try {
    const { account, browser: session } = await signedInPerson(server, { name: 'Ada' })
    const { key } = await createApiKey(server.running.opened.services, account.id, {})
    const book = await fillLibrary(server, { id: account.id, email: account.email, key }, folder)
    const context = await browser.newContext({ viewport: window, colorScheme: 'light' })
    await context.addCookies([...session.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
    await takePictures(await context.newPage(), server, book)
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Imports the books, puts them on shelves and reads of the last one; resolves to its ID. */
async function fillLibrary(server: TestServer, person: Person, folder: string): Promise<string> {
  const call = async (tool: string, input: Record<string, unknown>) => {
    const { status, body } = await rest.call(server, person, tool, input)
    if (status >= 300) throw new Error(`${tool} answered ${status}: ${JSON.stringify(body)}`)
  }
  for (const name of ['Debian', 'Live systems']) await call('create_shelf', { name })
  let book = ''
  for (const [file, shelf] of books) {
    const bytes = await readFile(join(folder, file))
    const { itemId, jobId } = await addFile(server, person, { filename: file.split('/')[1] ?? file, bytes })
    const { status, error } = await waitForJobEnd(server, person, jobId, 120_000)
    if (status !== 'SUCCEEDED') throw new Error(`${file} was not imported: ${error ?? status}`)
    await call('add_to_shelf', { shelf, itemIds: [itemId] })
    book = itemId
  }
  const content = '# Field notes\n\nWhat the manuals do not say.\n'
  await call('create_markdown_item', { title: 'Field notes', content })
  for (const pages of readRanges) await call('read_items', { items: [{ id: book, pages }] })
  return book
}

async function takePictures(page: Page, server: TestServer, book: string): Promise<void> {
  const folder = join(root, 'docs', 'pictures')
  await mkdir(folder, { recursive: true })
  const open = (path: string) => page.goto(server.baseUrl + path, { waitUntil: 'networkidle' })
  const take = async (name: string) => {
    const path = join(folder, `${name}.png`)
    await page.screenshot({ path })
    process.stdout.write(`${path}\n`)
  }
  await open('/notifications')
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await open('/')
  await take('library')
  await open('/add')
  await take('add')
  await open(`/books/${book}`)
  await take('book')
  await open('/search?q=maintainer+scripts')
  await take('search')
  await page.setViewportSize({ ...window, width: 1440, height: 900 })
  await open(`/books/${book}/pages/20?picture=1`)
  await take('reader')
}

if (import.meta.main) await main(process.argv[2])
