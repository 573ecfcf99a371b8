import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { agentOf, storedBook, visibleText } from '../support/editor-client.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { registerProgram } from '../support/oauth.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { createTeamClient } from '../support/team-client.ts'
import { mcp } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let ann: WebPerson
let agent: Awaited<ReturnType<typeof agentOf>>

beforeAll(async () => {
  ann = await signedInPerson(server, { name: 'Ann' })
  agent = await agentOf(server, ann, 'Claude Code')
})

const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)

/** Creates a book of two pages with a second version by the agent, which changed a word on page 2 and added page 3. */
async function editedBook(): Promise<string> {
  const id = await makeBook(server, ann.account, { title: 'Notes', content: '# One\n\nsame\n# Two\n\nthe old word\n' })
  await agent('put_item_page', { id, pageNum: 2, content: '# Two\n\nthe new word\n' })
  await agent('append_item_pages', { id, content: '# Three\n\nadded\n' })
  return id
}

describe('the versions of a book', () => {
  test('are listed with author, time, and changed pages', async () => {
    const id = await editedBook()
    const { status, text } = await ann.browser.get(`/books/${id}/versions`)
    const shown = visibleText(text)
    expect(status).toBe(200)
    expect(shown).toMatch(
      /Version 3 Current .*Page 3 added Claude Code for Ann ?, .*Version 2 .*Page 2 changed Claude Code for Ann/,
    )
    expect(shown).toMatch(/Version 1 .*The book was created Ann/)
  })

  test('say once that a file was imported', async () => {
    const id = await makeBook(server, ann.account)
    await rows('contents').updateMany({ itemId: id }, { $set: { reason: 'import', client: null } })
    expect(visibleText((await ann.browser.get(`/books/${id}/versions`)).text)).toMatch(
      /Version 1 .*The file was imported For Ann ?, /,
    )
    expect(visibleText((await ann.browser.get(`/books/${id}`)).text)).toMatch(/The file was imported for Ann ?\./)
  })

  test('name a connected app, or the person in a browser', async () => {
    const id = await makeBook(server, ann.account, { content: '# One\n\ntext\n' })
    const program = await registerProgram(server, { client_name: 'Reading <i>App</i>' })
    const { access_token: key } = await program.connect(ann.browser)
    expect((await mcp.call(server, { key }, 'put_item_page', { id, pageNum: 1, content: '# One\n\napp\n' })).ok).toBe(
      true,
    )
    const { text } = await ann.browser.get(`/books/${id}/versions`)
    expect(text).toContain('<bdi>Reading &lt;i&gt;App&lt;/i&gt;</bdi> for <bdi>Ann</bdi>')
    expect(await rows('contents').findOne({ _id: `${id}:2` })).toMatchObject({ by: 'Reading <i>App</i>' })
    expect(await rows('contents').findOne({ _id: `${id}:1` })).toMatchObject({ by: null })
  })

  test('without recorded names say that it was an agent', async () => {
    const id = await editedBook()
    await rows('contents').updateMany({ itemId: id }, { $unset: { by: '' } })
    expect(visibleText((await ann.browser.get(`/books/${id}/versions`)).text)).toContain('An agent of Ann')
  })

  test('are paginated without duplicates', async () => {
    const id = await makeBook(server, ann.account, { content: '# One\n\n0\n' })
    await rows('rates').deleteMany({})
    for (let n = 1; n <= 29; n++) {
      if (n % 15 === 0) await rows('rates').deleteMany({})
      await agent('put_item_page', { id, pageNum: 1, content: `# One\n\n${n}\n` })
    }
    await rows('rates').deleteMany({})
    const first = await ann.browser.get(`/books/${id}/versions`)
    const next = /href="(\/books\/\w+\/versions\?before=\d+)"/.exec(first.text)?.[1] ?? ''
    const second = await ann.browser.get(next)
    const numbers = [first, second].flatMap(({ text }) =>
      [...text.matchAll(/<li value="(\d+)"/g)].map(([, number]) => Number(number)),
    )
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => 30 - index))
    expect(visibleText(second.text)).toMatch(/Version 5 .*Page 1 changed/)
  })
})

describe('two versions compared', () => {
  test('show the differing pages with marked words, and no other page', async () => {
    const id = await editedBook()
    const { text } = await ann.browser.get(`/books/${id}/versions/compare?from=1&to=3`)
    expect(text).toContain('the <del>old</del> word')
    expect(text).toContain('the <ins>new</ins> word')
    expect(visibleText(text)).toContain('Page 3, added')
    expect(visibleText(text)).not.toContain('# One')
    const swapped = await ann.browser.get(`/books/${id}/versions/compare?from=3&to=1`)
    expect(visibleText(swapped.text)).toContain('Version 1 and version 3')
  })

  test('find moved pages, and do not read shared pages', async () => {
    const id = await makeBook(server, ann.account, { content: markdownPages(30) })
    await agent('append_item_pages', { id, content: '# Before\n\nall\n', position: 'start' })
    await agent('put_item_page', { id, pageNum: 20, content: '# Page 19\n\nchanged 19\n' })
    const { text } = await ann.browser.get(`/books/${id}/versions/compare?from=1&to=3`)
    expect(visibleText(text)).toContain('2 pages differ')
    expect(visibleText(text)).toContain('Page 19, now page 20')
    expect(visibleText(text)).toContain('Page 1, added')
  })

  test('of a large book are shown in parts', async () => {
    const id = await makeBook(server, ann.account, { content: markdownPages(50) })
    await agent('put_item_content', { id, content: markdownPages(50).replaceAll('text', 'words') })
    const first = await ann.browser.get(`/books/${id}/versions/compare?from=1&to=2`)
    expect(first.text.match(/class="page-difference"/g)).toHaveLength(20)
    expect(visibleText(first.text)).toContain('50 pages differ. Shown: 1 to 20')
    const second = await ann.browser.get(`/books/${id}/versions/compare?from=1&to=2&start=20`)
    expect(visibleText(second.text)).toContain('Shown: 21 to 40')
    expect(second.text).toContain('start=40')
  })

  test('are harmless whatever their text is', async () => {
    const id = await makeBook(server, ann.account, { content: '# One\n\nplain\n' })
    await agent('put_item_page', { id, pageNum: 1, content: '# One\n\n<script>alert(1)</script>\u202eevil\u200b\n' })
    const { text } = await ann.browser.get(`/books/${id}/versions/compare?from=1&to=2`)
    const main = text.slice(text.indexOf('<main'))
    expect(main).not.toContain('<script>')
    expect(main).not.toMatch(/[\u202e\u200b]/)
    expect(main).toContain('\\u202eevil\\u200b')
  })

  test.for([
    ['a version that does not exist', 'from=1&to=9', 404],
    ['a version that is not a number', 'from=x&to=2', 404],
  ] as const)('are refused for %s', async ([, query, status]) => {
    const id = await editedBook()
    expect((await ann.browser.get(`/books/${id}/versions/compare?${query}`)).status).toBe(status)
  })
})

test('a long line that is not shown is counted in the singular', async () => {
  const id = await makeBook(server, ann.account, { content: '# One\n\nshort\n' })
  await agent('put_item_page', { id, pageNum: 1, content: `# One\n\n${'long '.repeat(30_000)}` })
  const { text } = await ann.browser.get(`/books/${id}/versions/compare?from=1&to=2`)
  expect(text).toContain('1 more line is not shown here.')
})

test('a version compared with itself leads back to the choice of two', async () => {
  const id = await editedBook()
  const { location } = await ann.browser.get(`/books/${id}/versions/compare?from=2&to=2`)
  expect((await ann.browser.get(location ?? '')).text).toContain('Choose two different versions to compare.')
})

describe('an earlier version', () => {
  test('is restored as a new one, unless the book has changed since the page was opened', async () => {
    const id = await editedBook()
    const path = `/books/${id}/versions/restore`
    const { text } = await ann.browser.get(`/books/${id}/versions`)
    const fields = hiddenFields(text, path)
    expect(fields['version']).toBe('1')
    await agent('append_item_pages', { id, content: '# Four\n\nlate\n' })
    const refused = await ann.browser.post(path, fields)
    expect([refused.status, visibleText(refused.text).includes('changed since you opened this page')]).toEqual([
      409,
      true,
    ])
    const restored = await ann.browser.post(path, hiddenFields(refused.text, path))
    expect(restored.location).toBe(`/books/${id}/versions?done=restored&version=5&from=1`)
    expect((await storedBook(server, id)).pages[1]).toBe('# Two\n\nthe old word\n')
    expect(visibleText((await ann.browser.get(restored.location ?? '')).text)).toContain('is back, as version 5')
  })

  test('is permanently removed by the owner; it can no longer be compared', async () => {
    const id = await editedBook()
    const path = `/books/${id}/versions/purge`
    const { text } = await ann.browser.get(`/books/${id}/versions`)
    const removed = await ann.browser.post(path, { ...hiddenFields(text, path), version: '2' })
    expect(removed.location).toBe(`/books/${id}/versions?done=removed&version=2`)
    const listed = await ann.browser.get(removed.location ?? '')
    expect(visibleText(listed.text)).toMatch(/Version 2 Text removed/)
    const compared = await ann.browser.get(`/books/${id}/versions/compare?from=2&to=3`)
    expect([compared.status, visibleText(compared.text).includes('removed by the owner')]).toEqual([404, true])
  })
})

describe('readers of a shared book', () => {
  test('see the versions since it became accessible to them, without names of keys, and cannot change any', async () => {
    const [teams, owner, bob] = [createTeamClient(server), await server.createPerson(), await signedInPerson(server)]
    const teamId = await teams.createTeam(owner)
    await teams.addMember(teamId, bob.account)
    const id = await makeBook(server, owner, { content: '# One\n\n1\n' })
    const put = (n: number) => mcp.call(server, owner, 'put_item_page', { id, pageNum: 1, content: `# One\n\n${n}\n` })
    await put(2)
    await teams.shareItem(teamId, owner, id)
    await put(3)
    const { status, text } = await bob.browser.get(`/books/${id}/versions`)
    expect([status, [...text.matchAll(/<li value="(\d+)"/g)].map(([, number]) => number)]).toEqual([200, ['3', '2']])
    expect(text).not.toContain('versions/restore')
    expect(text).not.toContain('versions/purge')
    expect(visibleText(text)).toContain('An agent of')
    expect((await bob.browser.get(`/books/${id}/versions/compare?from=1&to=3`)).status).toBe(404)
    expect((await bob.browser.get(`/books/${id}/versions/compare?from=2&to=3`)).status).toBe(200)
    const { text: own } = await ann.browser.get(`/books/${await editedBook()}/versions`)
    const csrf = hiddenFields(own, /action="([^"]*purge)"/.exec(own)?.[1] ?? '')['csrf'] ?? ''
    for (const verb of ['restore', 'purge']) {
      const answer = await ann.browser.post(`/books/${id}/versions/${verb}`, { csrf, version: '2', current: '3' })
      expect([verb, answer.status]).toEqual([verb, 404])
    }
    expect((await ann.browser.get(`/books/${id}/versions`)).status).toBe(404)
    expect((await storedBook(server, id)).version).toBe(3)
  })
})

describeWith(chromiumNeed)('a comparison in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function openPage(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: false, ...options })
    onTestFinished(() => context.close())
    await context.addCookies([
      { name: 'lectern', value: ann.browser.cookies.get('lectern') ?? '', url: server.baseUrl },
    ])
    return context.newPage()
  }

  test('is side by side if there is room, and stacked on a phone', async () => {
    const id = await editedBook()
    const page = await openPage({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${server.baseUrl}/books/${id}/versions`)
    await page.getByLabel('Compare version').fill('1')
    await page.getByLabel('with', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Compare' }).click()
    const boxes = async () => {
      const [before, after] = [page.locator('.diff-before').first(), page.locator('.diff-after').first()]
      return [await before.boundingBox(), await after.boundingBox()]
    }
    const [wideBefore, wideAfter] = await boxes()
    expect(wideBefore?.y).toBe(wideAfter?.y)
    await page.setViewportSize({ width: 360, height: 800 })
    const [before, after] = await boxes()
    expect(before?.x).toBe(after?.x)
    expect(after?.y).toBeGreaterThan(before?.y ?? Infinity)
  })

  test('underlines added words where backgrounds have no colour', async () => {
    const id = await editedBook()
    const lineUnder = async (options: BrowserContextOptions) => {
      const page = await openPage(options)
      await page.goto(`${server.baseUrl}/books/${id}/versions/compare?from=1&to=3`)
      return page.evaluate<string>(`getComputedStyle(document.querySelector('ins')).textDecorationLine`)
    }
    expect(await lineUnder({ forcedColors: 'active' })).toBe('underline')
    expect(await lineUnder({ forcedColors: 'none' })).toBe('none')
  })
})
