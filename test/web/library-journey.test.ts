import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { agentOf, storedBook } from '../support/editor-client.ts'
import { buildEpub } from '../support/epub.ts'
import { showLines, writePdf } from '../support/pdf.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
const phrase = 'the heron waits for the tide'

/** A PDF whose page 700 has the phrase. */
function shoreBook(pageCount: number): Uint8Array {
  const lines = Array.from({ length: 30 }, (_, line) => `Line ${line} of a page about birds on the shore.`)
  const pages = Array.from({ length: pageCount }, (_, at) => ({
    content: showLines([`Page ${at + 1}`, ...lines, ...(at === 699 ? [`Here ${phrase}.`] : [])], { x: 72, y: 760 }),
  }))
  return writePdf({ pages, info: '/Title (Birds of the shore)' })
}

describeWith(chromiumNeed)('a person alone in the browser', () => {
  let browser: Browser
  let directory: string
  beforeAll(async () => {
    browser = await launchBrowser()
    directory = await mkdtemp(join(tmpdir(), 'lectern-journey-'))
    const epub = await buildEpub({ chapters: { 'one.xhtml': '<h1>Tides</h1><p>Water comes and goes.</p>' } })
    await writeFile(join(directory, 'tides.epub'), epub)
  })
  afterAll(async () => {
    await browser?.close()
    await rm(directory, { recursive: true, force: true })
  })

  test.for([
    // The import takes longer than the page waits before it asks for its progress.
    ['with JavaScript', true, 2000],
    ['without JavaScript', false, 800],
  ] as const)(
    '%s adds, searches, sees, edits, downloads, deletes and brings back books',
    { timeout: 180_000 },
    async ([, javaScriptEnabled, pageCount]) => {
      const pdf = shoreBook(pageCount)
      await writeFile(join(directory, 'birds.pdf'), pdf)
      const person = await signedInPerson(server)
      const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1500, height: 900 } })
      onTestFinished(() => context.close())
      const value = person.browser.cookies.get('lectern') ?? ''
      await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
      const page = await context.newPage()
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(String(error)))
      page.on('request', (request) => {
        if (!request.url().startsWith(server.baseUrl)) problems.push(request.url())
      })
      await addBooks(page, pageCount, javaScriptEnabled)
      await findPhrase(page)
      await editBesideAgent(page, person)
      await downloadAndDelete(page, pdf)
      expect(problems).toEqual([])
    },
  )

  async function addBooks(page: Page, pageCount: number, withScript: boolean): Promise<void> {
    await page.goto(server.baseUrl)
    await page.getByRole('link', { name: 'Add books' }).first().click()
    await page.setInputFiles('#files', [join(directory, 'birds.pdf'), join(directory, 'tides.epub')])
    if (!withScript) {
      await page.getByRole('button', { name: 'Add books' }).click()
      const unfinished = () => page.locator('main').getByText('Being imported').count()
      await expect
        .poll(
          async () => {
            await page.goto(`${server.baseUrl}/imports`)
            return unfinished()
          },
          { timeout: 120_000, interval: 500 },
        )
        .toBe(0)
    } else {
      const moves = `(() => { window.seen = new Set(); setInterval(() => {
        const bar = document.querySelector('[data-import] progress')
        if (bar && bar.max === ${pageCount}) window.seen.add(bar.value)
      }, 20) })()`
      await page.evaluate(moves)
      await page.getByRole('link', { name: /^Open “Birds of the shore”/ }).waitFor({ timeout: 120_000 })
      await page.getByRole('link', { name: /^Open “A book”/ }).waitFor({ timeout: 60_000 })
      const seen = await page.evaluate<number[]>('[...window.seen]')
      expect(seen.some((value) => value > 0 && value < pageCount)).toBe(true)
    }
    await page.goto(server.baseUrl)
    await page.getByRole('link', { name: 'Birds of the shore' }).first().waitFor()
    expect(await page.getByText(`${pageCount.toLocaleString('en')} pages`).count()).toBe(1)
  }

  async function findPhrase(page: Page): Promise<void> {
    await page.getByRole('searchbox').first().fill(`"${phrase}"`)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/search\?q=/)
    await page
      .getByRole('link', { name: /Page 700/ })
      .first()
      .click()
    await page.waitForURL(/\/pages\/700\?/)
    const marked = await page.locator('.page-text mark').allTextContents()
    expect(marked.join(' ')).toBe(phrase)
    await page.getByRole('link', { name: 'Show the picture of the page' }).click()
    const picture = page.locator('.reader-picture img')
    await picture.scrollIntoViewIfNeeded()
    await expect
      .poll(
        async () =>
          (await page.request.get(new URL((await picture.getAttribute('src')) ?? '', page.url()).href)).headers()[
            'content-type'
          ],
        { timeout: 30_000 },
      )
      .toMatch(/^image\/(?:png|jpeg)$/)
  }

  async function editBesideAgent(page: Page, person: WebPerson): Promise<void> {
    await page.goto(`${server.baseUrl}/add/markdown`)
    await page.getByLabel('Title').fill('Field notes')
    await page.getByLabel('Text').fill('# Monday\n\nRain.\n\nA heron.\n\nWind.\n')
    await page.getByRole('button', { name: 'Create the book' }).click()
    await page.waitForURL(/\/books\/\w+/)
    const id = /\/books\/(\w+)/.exec(page.url())?.[1] ?? ''
    await page.goto(`${server.baseUrl}/books/${id}/edit/1`)
    await page.getByRole('textbox', { name: 'Text' }).fill('# Monday\n\nRain all day.\n\nA heron.\n\nWind.\n')
    const agent = await agentOf(server, person, 'Note keeper')
    await agent('put_item_page', {
      id,
      pageNum: 1,
      content: '# Monday\n\nRain.\n\nA heron.\n\nWind from the west.\n',
      expectedVersion: 1,
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Note keeper').first().waitFor()
    await page.getByRole('button', { name: 'Save this text' }).click()
    await page.getByText('Saved as version 3.').waitFor()
    expect((await storedBook(server, id)).pages).toEqual([
      '# Monday\n\nRain all day.\n\nA heron.\n\nWind from the west.\n',
    ])
  }

  async function downloadAndDelete(page: Page, pdf: Uint8Array): Promise<void> {
    await page.goto(server.baseUrl)
    await page.locator('#books').getByRole('link', { name: 'Birds of the shore' }).first().click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: /^Original/ }).click()
    expect((await readFile(await (await download).path())).equals(pdf)).toBe(true)
    const address = page.url()
    await page.locator('summary', { hasText: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete this book' }).click()
    await page.waitForURL(/\/library\?/)
    expect((await page.request.get(address)).status()).toBe(404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Birds of the shore' }).first().waitFor()
    expect((await page.request.get(address)).status()).toBe(200)
  }
})
