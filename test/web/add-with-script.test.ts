import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { showLines, writePdf } from '../support/pdf.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const plans = await plansEnvironment({ tier: 'TINY', tierDisplay: 'Tiny', itemLimit: 2, uploadMb: 1, storageMb: null })
const server = useTestServer({ ...plans })

const booksOf = async ({ account }: WebPerson) => {
  const found = []
  for await (const book of server.running.opened.services.books.allOwned(account.id)) found.push(book)
  return found
}

describeWith(chromiumNeed)('adding books with script', () => {
  let browser: Browser
  let directory: string
  let problems: string[] = []
  beforeAll(async () => {
    browser = await launchBrowser()
    directory = await mkdtemp(join(tmpdir(), 'lectern-books-'))
  })
  afterAll(async () => {
    await browser?.close()
    await rm(directory, { recursive: true, force: true })
  })
  afterEach(() => expect(problems.splice(0)).toEqual([]))

  async function open(plan?: string): Promise<{ person: WebPerson; page: Page; context: BrowserContext }> {
    const person = await signedInPerson(server, plan === undefined ? {} : { plan })
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    problems = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text())
    })
    await page.goto(`${server.baseUrl}/add`)
    return { person, page, context }
  }

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(directory, name)
    await writeFile(path, content)
    return path
  }

  const rowOf = (page: Page, name: string) => page.locator('.add-row', { hasText: name })

  /** Limits the upload speed of the page, in bytes per second. */
  async function slow(context: BrowserContext, page: Page, bytesPerSecond: number): Promise<void> {
    const session = await context.newCDPSession(page)
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond }
    await session.send('Network.emulateNetworkConditions', conditions)
  }

  /** Drops files on the page, like a person who drags them from a folder. */
  const drop = (page: Page, files: Record<string, string>) =>
    page.evaluate(`(() => {
      const transfer = new DataTransfer()
      for (const [name, content] of Object.entries(${JSON.stringify(files)})) transfer.items.add(new File([content], name))
      for (const type of ['dragover', 'drop'])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }))
    })()`)

  /** A script that collects what the progress bars and labels of the page show. */
  const collector = `
    window.seen = { sent: new Set(), read: new Set(), labels: new Set() }
    setInterval(() => {
      const sending = document.querySelector('[data-sent]')
      if (sending && !sending.hidden && sending.position > 0) seen.sent.add(sending.position)
      const reading = document.querySelector('[data-import] progress')
      if (reading && reading.max === 1000) seen.read.add(reading.value)
      seen.labels.add(document.querySelector('.import-label')?.textContent ?? '')
    }, 20)`
  const collected = '({ sent: [...seen.sent], read: [...seen.read], labels: [...seen.labels] })'
  interface Collected {
    sent: number[]
    read: number[]
    labels: string[]
  }

  test('a PDF of 1,000 pages: both bars move, and the book opens', { timeout: 120_000 }, async () => {
    const { page, person } = await open()
    const lines = Array.from({ length: 40 }, (_, line) => `This is line ${line} of a page that somebody wants to read.`)
    const pages = Array.from({ length: 1000 }, (_, index) => ({
      content: showLines([`Page ${index + 1}`, ...lines], { x: 72, y: 760 }),
    }))
    const path = await file('A long book.pdf', writePdf({ pages, info: '/Title (A long book indeed)' }))
    await page.evaluate(collector)
    await slow(page.context(), page, 1_000_000)
    await page.setInputFiles('#files', path)
    await page.getByRole('link', { name: 'Open “A long book indeed”' }).waitFor({ timeout: 90_000 })
    const seen = await page.evaluate<Collected>(collected)
    expect(seen.sent.length).toBeGreaterThan(2)
    expect(seen.sent).toEqual(seen.sent.toSorted((a, b) => a - b))
    expect(seen.read.length).toBeGreaterThan(1)
    expect(seen.read).toEqual(seen.read.toSorted((a, b) => a - b))
    expect(seen.labels).toContainEqual(expect.stringMatching(/^Page [1-9][\d,]* of 1,000$/))
    await page.getByRole('link', { name: 'Open “A long book indeed”' }).click()
    await page.getByRole('heading', { name: 'A long book indeed' }).first().waitFor()
    const [book] = await booksOf(person)
    expect(book).toMatchObject({ status: 'READY', pageCount: 1000 })
  })

  test('a file of another format than its name says is not sent again', { timeout: 40_000 }, async () => {
    const { page } = await open()
    await drop(page, { 'Notes.pdf': 'These are only words.' })
    const row = rowOf(page, 'Notes.pdf')
    await row.getByText('The file is not in PDF format, although its name says so.').waitFor()
    expect(await row.getByRole('button').allInnerTexts()).toEqual(['Remove from the list'])
  })

  test('two files dropped on the page are added, and unsupported ones are reported', { timeout: 40_000 }, async () => {
    const { page, person } = await open()
    await drop(page, { 'First.md': '# First', 'Second.md': '# Second', 'Song.mp3': 'x', 'Letter.doc': 'x' })
    await rowOf(page, 'Song.mp3')
      .getByText(
        'Only PDF, EPUB, Markdown, Word, OpenDocument, RTF, FictionBook, MOBI, AZW3, CBZ, HTML and plain text files can be added.',
      )
      .waitFor()
    await rowOf(page, 'Letter.doc')
      .getByText('Lectern does not read .doc files. Save it as .docx or PDF, then add that copy.')
      .waitFor()
    await page.getByRole('link', { name: 'Open “First”' }).waitFor({ timeout: 20_000 })
    await page.getByRole('link', { name: 'Open “Second”' }).waitFor({ timeout: 20_000 })
    expect(await page.locator('[data-add-summary]').textContent()).toBe('2 added, 2 not added')
    expect((await booksOf(person)).map(({ title, status }) => [title, status]).toSorted()).toEqual([
      ['First', 'READY'],
      ['Second', 'READY'],
    ])
  })

  test('a file that was added but could not be read is counted as such', { timeout: 40_000 }, async () => {
    const { page } = await open()
    await drop(page, { 'Fine.md': '# Fine', 'Broken.pdf': '%PDF-1.7 and no more' })
    await page.getByRole('link', { name: 'See what to do' }).waitFor({ timeout: 20_000 })
    await page.locator('[data-add-summary]').getByText('2 added (1 could not be read)', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Open “Fine”' }).waitFor({ timeout: 20_000 })
  })

  test('the number of files to go is shown after each, and announced at the end', { timeout: 40_000 }, async () => {
    const { page } = await open()
    const held = Promise.withResolvers<void>()
    let uploads = 0
    await page.route('**/add/bytes?*', async (route) => {
      uploads += 1
      if (uploads === 2) await held.promise
      await route.continue()
    })
    await drop(page, { 'First.md': '# First', 'Second.md': '# Second' })
    const [shown, announced] = [
      page.locator('[data-add-summary]'),
      page.locator('[data-add-books]').getByRole('status').first(),
    ]
    await shown.getByText('1 to go, 1 added', { exact: true }).waitFor({ timeout: 20_000 })
    expect(await announced.textContent()).toBe('2 to go')
    held.resolve()
    await shown.getByText('2 added', { exact: true }).waitFor({ timeout: 20_000 })
    expect(await announced.textContent()).toBe('2 added')
  })

  test(
    'a dropped or chosen folder is added with the contents of its subfolders, without hidden files',
    { timeout: 60_000 },
    async () => {
      const folder = join(directory, 'Books')
      for (const name of ['Deep', '.trash', '__MACOSX']) await mkdir(join(folder, name), { recursive: true })
      for (const [name, text] of [
        ['Top.md', '# Top'],
        ['Deep/Below.md', '# Below'],
        ['Deep/Song.mp3', 'x'],
        ['.hidden', 'x'],
        ['._Top.md', 'x'],
        ['~$Top.docx', 'x'],
        ['.trash/Gone.md', '# Gone'],
        ['__MACOSX/Top.md', 'x'],
      ] as const)
        await writeFile(join(folder, name), text)
      const dropped = await open()
      const devtools = await dropped.context.newCDPSession(dropped.page)
      const data = { items: [], files: [folder], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
      const chosen = await open()
      await chosen.page.locator('input[webkitdirectory]').setInputFiles(folder)
      for (const { page, person } of [dropped, chosen]) {
        await page.getByRole('link', { name: 'Open “Top”' }).waitFor({ timeout: 20_000 })
        await page.getByRole('link', { name: 'Open “Below”' }).waitFor({ timeout: 20_000 })
        expect((await booksOf(person)).map(({ title }) => title).toSorted()).toEqual(['Below', 'Top'])
        await page.locator('[data-add-summary]', { hasText: '2 added, 1 skipped (file type not supported)' }).waitFor()
      }
    },
  )

  test(
    'the files of each folder are put on a shelf with its name, if this is chosen',
    { timeout: 60_000 },
    async () => {
      const folder = join(directory, 'Tides')
      await mkdir(join(folder, 'Canada', 'East'), { recursive: true })
      for (const [name, text] of [
        ['Sea.md', '# Sea'],
        ['Canada/East/Bay.md', '# Bay'],
      ] as const)
        await writeFile(join(folder, name), text)
      const { shelves, placements } = server.running.opened.services
      const shelvesOf = async (person: WebPerson) => {
        const names = new Map((await shelves.list(person.account.id)).map(({ id, name }) => [id, name]))
        const titles = new Map((await booksOf(person)).map(({ id, title }) => [id, title]))
        const placed = await placements.list(person.account.id)
        return placed.map(({ shelfId, itemId }) => `${titles.get(itemId)}: ${names.get(shelfId)}`).toSorted()
      }
      const dropped = await open()
      const chosen = await open()
      const plain = await open()
      for (const { page } of [dropped, chosen])
        await page.getByLabel('Put the files of each folder on a shelf with its name').check()
      const devtools = await dropped.context.newCDPSession(dropped.page)
      const data = { items: [], files: [folder], dragOperationsMask: 1 }
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
        await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
      for (const { page } of [chosen, plain]) await page.locator('input[webkitdirectory]').setInputFiles(folder)
      for (const { page } of [dropped, chosen, plain])
        await page.locator('[data-add-summary]', { hasText: '2 added' }).waitFor({ timeout: 20_000 })
      for (const { person } of [dropped, chosen])
        expect(await shelvesOf(person)).toEqual(['Bay: Canada / East', 'Sea: Tides'])
      expect(await shelves.list(plain.person.account.id)).toEqual([])
    },
  )

  test(
    'a folder that is added again puts the books that exist already on its shelves, also a file that is in two folders',
    { timeout: 60_000 },
    async () => {
      const folder = join(directory, 'Twins')
      await mkdir(join(folder, 'North'), { recursive: true })
      await mkdir(join(folder, 'South'))
      for (const [name, text] of [
        ['North/Gull.md', '# Gull'],
        ['South/Copy.md', '# Gull'],
        ['South/Tern.md', '# Tern'],
      ] as const)
        await writeFile(join(folder, name), text)
      const { page, person } = await open()
      const { shelves, placements } = server.running.opened.services
      const placed = async () => {
        const names = new Map((await shelves.list(person.account.id)).map(({ id, name }) => [id, name]))
        const titles = new Map((await booksOf(person)).map(({ id, title }) => [id, title]))
        const rows = await placements.list(person.account.id)
        return rows.map(({ shelfId, itemId }) => `${titles.get(itemId)}: ${names.get(shelfId)}`).toSorted()
      }
      const byFolder = () => page.getByLabel('Put the files of each folder on a shelf with its name').check()
      const summary = (hasText: string) => page.locator('[data-add-summary]', { hasText }).waitFor({ timeout: 20_000 })
      await byFolder()
      await page.locator('input[webkitdirectory]').setInputFiles(folder)
      await summary('2 added, 1 already in your library (1 put on a shelf)')
      const [gull, tern] = (await booksOf(person)).map(({ title }) => title).toSorted()
      await rowOf(page, gull === 'Gull' ? 'Copy.md' : 'Gull.md')
        .getByText(/^You have chosen this file twice\. It is on the shelf “(North|South)” now\.$/)
        .waitFor()
      expect(await placed()).toEqual([`${gull}: North`, `${gull}: South`, `${tern}: South`])
      for (const { id } of await shelves.list(person.account.id))
        await person.browser.submit('/shelves', '/shelves/delete', { shelf: id })
      await page.reload()
      await byFolder()
      await page.locator('input[webkitdirectory]').setInputFiles(folder)
      await summary('3 already in your library (3 put on a shelf)')
      await rowOf(page, 'Tern.md').getByText('You already have this book. It is on the shelf “South” now.').waitFor()
      expect(await placed()).toEqual([`${gull}: North`, `${gull}: South`, `${tern}: South`])
      expect(await booksOf(person)).toHaveLength(2)
    },
  )

  test('one of two uploads is cancelled: no book, no slot taken; the other is added', { timeout: 40_000 }, async () => {
    const { page, person, context } = await open()
    await slow(context, page, 300_000)
    const paths = [
      await file('Stay.md', `# Stay\n${'a'.repeat(1000)}`),
      await file('Go.md', `# A page\n\n${'words '.repeat(1600)}\n\n`.repeat(320).slice(0, 3_000_000)),
    ]
    await page.setInputFiles('#files', paths)
    const going = rowOf(page, 'Go.md')
    await going.getByText(/^Sending: [1-9]\d? % of 2\.9 MB$/).waitFor({ timeout: 20_000 })
    await going.getByRole('button', { name: 'Cancel: Go.md' }).click()
    await going.getByText('Cancelled', { exact: true }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Try again')
    await page.getByRole('link', { name: 'Open “Stay”' }).waitFor({ timeout: 20_000 })
    await expect.poll(async () => (await booksOf(person)).map(({ title }) => title)).toEqual(['Stay'])
    await slow(context, page, -1)
    await going.getByRole('button', { name: 'Try again: Go.md' }).click()
    await page.getByRole('link', { name: 'Open “Go”' }).waitFor({ timeout: 20_000 })
    expect((await booksOf(person)).map(({ title }) => title).toSorted()).toEqual(['Go', 'Stay'])
  })

  test(
    'a book that exists already is reported before anything is sent, and can be opened or added anyway',
    { timeout: 40_000 },
    async () => {
      const { page, person } = await open()
      const path = await file('Known.md', '# Known')
      await page.setInputFiles('#files', path)
      await page.getByRole('link', { name: 'Open “Known”' }).waitFor({ timeout: 20_000 })
      const sent: string[] = []
      page.on('request', (request) => void sent.push(new URL(request.url()).pathname))
      await page.reload()
      await page.setInputFiles('#files', path)
      const row = rowOf(page, 'Known.md')
      await row.getByText('You already have this book.').waitFor()
      const [first] = await booksOf(person)
      expect(await row.getByRole('link', { name: 'Open “Known”' }).getAttribute('href')).toBe(`/books/${first?.id}`)
      expect(sent.filter((url) => url.startsWith('/add/'))).toEqual(['/add/check'])
      await row.getByRole('button', { name: 'Add anyway: Known.md' }).click()
      await expect.poll(async () => (await booksOf(person)).length, { timeout: 10_000 }).toBe(2)
    },
  )

  test('if the browser cannot hash, the same file is reported before it is added', { timeout: 40_000 }, async () => {
    const { page, person } = await open()
    const path = await file('Plain.md', '# Plain')
    await page.setInputFiles('#files', path)
    await page.getByRole('link', { name: 'Open “Plain”' }).waitFor({ timeout: 20_000 })
    // As on a page without https.
    await page.addInitScript("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    await page.reload()
    await page.setInputFiles('#files', path)
    await rowOf(page, 'Plain.md').getByText('You already have this book.').waitFor()
    await expect.poll(async () => (await booksOf(person)).length).toBe(1)
    const account = await server.running.opened.services.accounts.byId(person.account.id)
    expect(account?.slots).toBe(1)
  })

  test(
    'a full library ends the queue with the remedy; a file that is too large is reported before sending',
    { timeout: 40_000 },
    async () => {
      const { page, person } = await open('TINY')
      const names = ['A', 'B', 'C', 'D']
      const paths = await Promise.all(names.map((name) => file(`${name}.md`, `# ${name}`)))
      await page.setInputFiles('#files', [...paths, await file('Huge.md', 'x'.repeat(1_100_000))])
      await rowOf(page, 'Huge.md').getByText('The file is larger than 1 MB').waitFor()
      const full = page.locator('.add-row[data-state="failed"]', {
        hasText: 'Your library is full: it has 2 of 2 books.',
      })
      await expect.poll(() => full.count(), { timeout: 20_000 }).toBe(2)
      expect(await full.first().getByRole('link', { name: 'See the plans' }).getAttribute('href')).toBe('/plans')
      expect(await booksOf(person)).toHaveLength(2)
    },
  )

  test('a user whose session has ended is told, and can sign in', { timeout: 40_000 }, async () => {
    const { page, person } = await open()
    await server.running.opened.services.webSessions.endAll(person.account.id)
    await page.setInputFiles('#files', await file('Late.md', '# Late'))
    await rowOf(page, 'Late.md').getByText('You are no longer signed in.').waitFor()
    expect(await page.getByRole('link', { name: 'Sign in', exact: true }).getAttribute('href')).toBe(
      '/sign-in?next=/add',
    )
  })

  test('a long title stays within a narrow page', { timeout: 40_000 }, async () => {
    const { page } = await open()
    await page.setViewportSize({ width: 360, height: 800 })
    const title = 'A very long title '.repeat(8).trim()
    const path = await file('Long.md', `---\ntitle: ${title}\n---\n# Words`)
    const beyond = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await page.setInputFiles('#files', path)
    await page.getByRole('link', { name: `Open “${title}”` }).waitFor({ timeout: 20_000 })
    expect(await beyond()).toBeLessThanOrEqual(0)
    await page.reload()
    await page.setInputFiles('#files', path)
    await rowOf(page, 'Long.md').getByText('You already have this book.').waitFor()
    expect(await beyond()).toBeLessThanOrEqual(0)
  })

  test('the imports page follows an import to its end without reloading', { timeout: 40_000 }, async () => {
    const { page, person } = await open()
    expect((await person.browser.get('/imports')).text).toContain('Nothing is being imported')
    const text = Array.from({ length: 300 }, (_, index) => `# Chapter ${index}\n\nWords.`).join('\n\n')
    await drop(page, { 'Followed.md': text })
    await rowOf(page, 'Followed.md').locator('[data-job-id]').waitFor({ state: 'attached' })
    await page.goto(`${server.baseUrl}/imports`)
    await page.evaluate(() => Object.assign(globalThis, { isFirstLoad: true }))
    // The link alone is no sign of the end: a book can be opened as soon as it has pages.
    await page.locator('.import-status[data-status="SUCCEEDED"]').waitFor({ timeout: 20_000 })
    await page.getByRole('link', { name: 'Followed' }).waitFor()
    expect(await page.locator('progress').count()).toBe(0)
    expect(await page.evaluate(() => 'isFirstLoad' in globalThis)).toBe(true)
  })
})
