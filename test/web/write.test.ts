import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { agentOf, editorText, openEditor, sendEditor, storedBook, visibleText } from '../support/editor-client.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { signedInPerson, signIn, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { createTeamClient } from '../support/team-client.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let ann: WebPerson

beforeAll(async () => {
  ann = await signedInPerson(server, { name: 'Ann' })
})

const twoPages = '# One\n\nfirst\n\nmiddle\n\nlast\n# Two\n\nsecond page\n'
const pathOf = (id: string, place: number | string = 1) => `/books/${id}/edit/${place}`
const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)

async function bookOfAnn(content = twoPages): Promise<string> {
  return makeBook(server, ann.account, { title: 'Notes', content })
}

describe('an editor without JavaScript', () => {
  test('lists the pages with their headings or first lines', async () => {
    const id = await bookOfAnn(`begin <b>here</b>\n${markdownPages(120)}`)
    const { text } = await ann.browser.get(`/books/${id}/edit`)
    expect(text).toContain('begin &lt;b&gt;here&lt;/b&gt;')
    expect(text).toContain(`href="/books/${id}/edit/100"`)
    expect(text).not.toContain(`href="/books/${id}/edit/101"`)
    const rest = await ann.browser.get(`/books/${id}/edit?from=101`)
    expect(rest.text).toContain(`href="/books/${id}/edit/121"`)
    const empty = await ann.browser.get(`/books/${await makeBook(server, ann.account)}/edit`)
    expect(visibleText(empty.text)).toContain('Write the first page')
  })

  test.for([
    ['front matter alone', '---\ntitle: Notes\n---\n\n# One\n', 'Front matter', 'One'],
    ['front matter and text', '---\ntitle: Notes\n---\n\nTo begin with\n\n# One\n', 'To begin with', 'One'],
    ['a line above the text', '# One\n\n---\ntitle: Notes\n---\n', 'One', undefined],
  ] as const)('names a first page with %s', async ([, content, ...names]) => {
    const { text } = await ann.browser.get(`/books/${await bookOfAnn(content)}/edit`)
    const shown = [...text.matchAll(/class="first-line"[^>]*>([^<]*)</g)].map(([, line]) => line)
    expect(shown).toEqual(names.filter((name) => name !== undefined))
  })

  test('saves a page exactly as typed, with the line ends of the book', async () => {
    const id = await bookOfAnn(twoPages.replaceAll('\n', '\r\n'))
    const fields = await openEditor(ann.browser, pathOf(id))
    const typed = '\n# One\n\n\n  indented <i>& "quoted"</i>\n\tend'
    const saved = await sendEditor(ann.browser, pathOf(id), { ...fields, text: typed })
    expect([saved.status, saved.location]).toEqual([303, `${pathOf(id)}?done=saved&version=2`])
    const { version, pages } = await storedBook(server, id)
    expect([version, pages[0]]).toEqual([2, `${typed}\n`.replaceAll('\n', '\r\n').replace(/\r\n$/, '\n')])
    const again = await ann.browser.get(saved.location ?? '')
    expect(again.text).toContain('Saved as version 2.')
    expect(editorText(again.text)).toBe(`${typed}\n`.replaceAll('\n', '\r\n').replace(/\r\n$/, '\n'))
  })

  test('submitted twice, creates one version', async () => {
    const id = await bookOfAnn()
    const fields = { ...(await openEditor(ann.browser, pathOf(id))), text: '# One\n\nchanged' }
    const answers = [
      await sendEditor(ann.browser, pathOf(id), fields),
      await sendEditor(ann.browser, pathOf(id), fields),
    ]
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(answers[1]?.location).toContain('done=unchanged')
    expect((await storedBook(server, id)).version).toBe(2)
    const added = { ...(await openEditor(ann.browser, pathOf(id, 'end'))), text: '# Three\n\nend\n' }
    for (const _ of answers) await sendEditor(ann.browser, pathOf(id, 'end'), added)
    const { version, pages } = await storedBook(server, id)
    expect([version, pages.length, pages[2]]).toEqual([3, 3, '# Three\n\nend\n'])
  })

  test('adds a page at the start, and refuses one without a heading with the next step', async () => {
    const id = await bookOfAnn()
    const path = pathOf(id, 'start')
    const fields = await openEditor(ann.browser, path)
    const refused = await sendEditor(ann.browser, path, { ...fields, text: 'no heading' })
    expect(refused.status).toBe(400)
    expect(visibleText(refused.text)).toContain('Begin with the heading of the page')
    expect(editorText(refused.text)).toBe('no heading')
    const saved = await sendEditor(ann.browser, path, { ...hiddenFields(refused.text, path), text: '# Zero\n\nstart' })
    expect(saved.location).toBe(`${pathOf(id, 1)}?done=added&version=2`)
    expect((await storedBook(server, id)).pages[0]).toBe('# Zero\n\nstart\n')
  })

  test.for([
    ['an empty text', ' \n', 'The text is empty'],
    ['two pages', '# One\n\n# Another\n', 'would begin another page'],
  ] as const)('refuses %s and keeps the typed text', async ([, typed, words]) => {
    const id = await bookOfAnn()
    const refused = await sendEditor(ann.browser, pathOf(id), {
      ...(await openEditor(ann.browser, pathOf(id))),
      text: typed,
    })
    expect([refused.status, editorText(refused.text)]).toEqual([400, typed])
    expect(visibleText(refused.text)).toContain(words)
  })

  test('shows a preview next to the text, in which HTML of the book is text', async () => {
    const id = await bookOfAnn()
    const typed = '# One\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n'
    const fields = await openEditor(ann.browser, pathOf(id))
    const { status, text } = await sendEditor(ann.browser, `${pathOf(id)}/preview`, { ...fields, text: typed })
    expect([status, editorText(text)]).toEqual([200, typed])
    const preview = text.slice(text.indexOf('id="preview"'))
    expect(preview).not.toMatch(/<script>|<img src=x/)
    expect((await storedBook(server, id)).version).toBe(1)
  })

  test('accepts a page of 1 MB, and keeps the text of a larger one', async () => {
    const id = await bookOfAnn()
    const fields = await openEditor(ann.browser, pathOf(id))
    const line = 'é'.repeat(49) + '\n'
    const largest = `# One\n${line.repeat(10_100)}`.slice(0, 505_000)
    const size = Buffer.byteLength(largest)
    expect(size).toBeGreaterThan(990_000)
    expect(size).toBeLessThanOrEqual(1_000_000)
    const saved = await sendEditor(ann.browser, pathOf(id), { ...fields, text: largest })
    expect(saved.status).toBe(303)
    expect(Buffer.byteLength((await storedBook(server, id)).pages[0] ?? '')).toBe(
      size + Number(!largest.endsWith('\n')),
    )
    const next = await openEditor(ann.browser, pathOf(id))
    const refused = await sendEditor(ann.browser, pathOf(id), { ...next, text: `${largest}${line.repeat(300)}` })
    expect(refused.status).toBe(413)
    expect(Buffer.byteLength(editorText(refused.text))).toBeGreaterThan(1_000_000)
  })
})

test('a change by the same person in another window is told as such', async () => {
  const id = await bookOfAnn()
  const fields = await openEditor(ann.browser, pathOf(id))
  await sendEditor(ann.browser, pathOf(id), { ...fields, text: '# One\n\nfirst in one window\n' })
  const conflict = await sendEditor(ann.browser, pathOf(id), { ...fields, text: '# One\n\nfirst in the other\n' })
  expect(conflict.status).toBe(409)
  const shown = visibleText(conflict.text)
  expect(shown).toContain('You changed this page in another window while you were writing')
  for (const words of ['This window', 'The other window, version 2', 'Both windows changed the same lines'])
    expect(shown).toContain(words)
  expect(shown).not.toMatch(/Theirs|theirs|Yours/)
})

describe('while an agent writes the same book', () => {
  test('its changes to other pages are kept, and a moved page is found', async () => {
    const [id, agent] = [await bookOfAnn(), await agentOf(server, ann, 'Claude Code')]
    const fields = await openEditor(ann.browser, pathOf(id, 2))
    await agent('append_item_pages', { id, content: '# Zero\n\nstart\n', position: 'start' })
    await agent('put_item_page', { id, pageNum: 2, content: '# One\n\nby the agent\n' })
    const saved = await sendEditor(ann.browser, pathOf(id, 2), { ...fields, text: '# Two\n\nmine\n' })
    expect(saved.location).toBe(`${pathOf(id, 3)}?done=merged&version=4`)
    expect((await storedBook(server, id)).pages).toEqual([
      '# Zero\n\nstart\n',
      '# One\n\nby the agent\n',
      '# Two\n\nmine\n',
    ])
  })

  test('both texts of a page are shown with their base, and the saved text has both changes', async () => {
    const [id, agent] = [await bookOfAnn(), await agentOf(server, ann, 'Claude Code')]
    const fields = await openEditor(ann.browser, pathOf(id))
    const theirs = '# One\n\nfirst\n\nmiddle\n\nlast, by the agent\n'
    await agent('put_item_page', { id, pageNum: 1, content: theirs, expectedVersion: 1 })
    const mine = '# One\n\nfirst, by me\n\nmiddle\n\nlast\n'
    const conflict = await sendEditor(ann.browser, pathOf(id), { ...fields, text: mine })
    expect(conflict.status).toBe(409)
    const shown = visibleText(conflict.text)
    expect(shown).toContain('Claude Code for Ann changed this page while you were writing')
    for (const words of ['Yours', 'Theirs, version 2', 'Before, version 1']) expect(shown).toContain(words)
    expect(conflict.text).toContain('<ins>, by me</ins>')
    expect(conflict.text).toContain('<ins>, by the agent</ins>')
    const merged = editorText(conflict.text)
    expect(merged).toBe('# One\n\nfirst, by me\n\nmiddle\n\nlast, by the agent\n')
    expect((await storedBook(server, id)).pages[0]).toBe(theirs)
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(1)

    const resolved = { ...hiddenFields(conflict.text, pathOf(id)), text: merged }
    expect((await sendEditor(ann.browser, pathOf(id), resolved)).location).toContain('done=saved')
    expect((await storedBook(server, id)).pages).toEqual([merged, '# Two\n\nsecond page\n'])
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(0)
  })

  test("if both changed the same line, the user's text is offered, and the other one can be chosen", async () => {
    const [id, agent] = [await bookOfAnn(), await agentOf(server, ann, 'Claude Code')]
    const fields = await openEditor(ann.browser, pathOf(id))
    const theirs = '# One\n\nfirst by the agent\n'
    await agent('put_item_page', { id, pageNum: 1, content: theirs })
    const mine = '# One\n\nfirst by me\n'
    const conflict = await sendEditor(ann.browser, pathOf(id), { ...fields, text: mine })
    expect(editorText(conflict.text)).toBe(mine)
    expect(visibleText(conflict.text)).toContain('You both changed the same lines')
    const left = await sendEditor(ann.browser, `${pathOf(id)}/discard`, {
      ...hiddenFields(conflict.text, pathOf(id)),
      text: mine,
    })
    expect(left.location).toBe(`${pathOf(id)}?done=discarded`)
    expect(editorText((await ann.browser.get(pathOf(id))).text)).toBe(theirs)
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(0)
  })

  test('the text of a deleted page can be saved as a new one', async () => {
    const [id, agent] = [await bookOfAnn(), await agentOf(server, ann, 'Claude Code')]
    const fields = await openEditor(ann.browser, pathOf(id, 2))
    await agent('put_item_content', { id, content: '# One\n\nonly page\n' })
    const conflict = await sendEditor(ann.browser, pathOf(id, 2), { ...fields, text: '# Two\n\nmine\n' })
    expect(visibleText(conflict.text)).toContain('Page 2 is no longer in the book')
    const resolved = { ...hiddenFields(conflict.text, pathOf(id, 'end')), text: editorText(conflict.text) }
    expect((await sendEditor(ann.browser, pathOf(id, 'end'), resolved)).status).toBe(303)
    expect((await storedBook(server, id)).pages).toEqual(['# One\n\nonly page\n', '# Two\n\nmine\n'])
  })

  test('text with direction overrides or markup harms neither columns nor history', async () => {
    const id = await bookOfAnn()
    const agent = await agentOf(server, ann, '<img src=x onerror=alert(1)>\u202egnp.exe')
    const fields = await openEditor(ann.browser, pathOf(id))
    const evil = '# One\n\n</textarea><script>alert(1)</script>\u202e\u200b reversed\n'
    await agent('put_item_page', { id, pageNum: 1, content: evil })
    const conflict = await sendEditor(ann.browser, pathOf(id), { ...fields, text: `${evil}mine\n` })
    const history = await ann.browser.get(pathOf(id))
    for (const { text } of [conflict, history]) {
      expect(text).not.toMatch(/<script>alert|<img src=x/)
      expect(text).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt;')
    }
    const columns = conflict.text.slice(0, conflict.text.indexOf('<textarea'))
    expect(columns).not.toMatch(/[\u202e\u200b].*reversed/)
    expect(columns).toContain('\\u202e\\u200b reversed')
  })
})

describe('nothing typed is lost', () => {
  test('a draft survives a reload, another browser and signing out', async () => {
    const id = await bookOfAnn()
    const fields = await openEditor(ann.browser, pathOf(id))
    const kept = await sendEditor(ann.browser, `${pathOf(id)}/draft`, { ...fields, text: 'half a thou' })
    expect(kept.location).toBe(`${pathOf(id)}?draft=1&done=kept`)
    const elsewhere = webClient(server)
    await signIn(elsewhere, ann.email)
    await elsewhere.submit('/account', '/sign-out', {})
    await signIn(elsewhere, ann.email)
    const offered = await elsewhere.get(pathOf(id))
    expect(visibleText(offered.text)).toMatch(/You have a draft of .*, based on version 1/)
    expect(editorText(offered.text)).toBe('# One\n\nfirst\n\nmiddle\n\nlast\n')
    expect((await elsewhere.get(`/books/${id}/edit`)).text).toContain('Your drafts')
    const continued = await openEditor(elsewhere, `${pathOf(id)}?draft=1`)
    expect(continued['text']).toBe('half a thou')
    await sendEditor(elsewhere, pathOf(id), { ...continued, text: '# One\n\na whole thought\n' })
    expect(visibleText((await ann.browser.get(pathOf(id))).text)).not.toContain('You have a draft')
    expect((await storedBook(server, id)).pages[0]).toBe('# One\n\na whole thought\n')
  })

  test('a draft is discarded only on request', async () => {
    const id = await bookOfAnn()
    await sendEditor(ann.browser, `${pathOf(id)}/draft`, { ...(await openEditor(ann.browser, pathOf(id))), text: 'x' })
    const { text } = await ann.browser.get(pathOf(id))
    await ann.browser.post(`${pathOf(id)}/discard`, hiddenFields(text, `${pathOf(id)}/discard`))
    expect(visibleText((await ann.browser.get(pathOf(id))).text)).not.toContain('You have a draft')
  })

  test('the draft of another window is overwritten only on request', async () => {
    const id = await bookOfAnn()
    const [one, two] = [await openEditor(ann.browser, pathOf(id)), await openEditor(ann.browser, pathOf(id))]
    await sendEditor(ann.browser, `${pathOf(id)}/draft`, { ...one, text: 'window one' })
    const refused = await sendEditor(ann.browser, `${pathOf(id)}/draft`, { ...two, text: 'window two' })
    expect([refused.status, editorText(refused.text)]).toEqual([409, 'window two'])
    expect((await openEditor(ann.browser, `${pathOf(id)}?draft=1`))['text']).toBe('window one')
    const asked = { ...hiddenFields(refused.text, pathOf(id)), text: 'window two' }
    expect((await sendEditor(ann.browser, `${pathOf(id)}/draft`, asked)).status).toBe(303)
    expect((await openEditor(ann.browser, `${pathOf(id)}?draft=1`))['text']).toBe('window two')
  })

  test('an expired form keeps its text and can be sent again; before that it changes nothing', async () => {
    const id = await bookOfAnn()
    const fields = await openEditor(ann.browser, pathOf(id))
    const stale = await sendEditor(ann.browser, pathOf(id), { ...fields, csrf: 'old', text: '# One\n\ntyped\n' })
    expect([stale.status, editorText(stale.text)]).toEqual([403, '# One\n\ntyped\n'])
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(0)
    const again = { ...hiddenFields(stale.text, pathOf(id)), text: editorText(stale.text) }
    expect((await sendEditor(ann.browser, pathOf(id), again)).status).toBe(303)
  })

  test('a form sent after signing out is returned with its text, and is saved after sign-in', async () => {
    const id = await bookOfAnn()
    const browser = webClient(server)
    await signIn(browser, ann.email)
    const fields = await openEditor(browser, pathOf(id))
    await browser.submit('/account', '/sign-out', {})
    const typed = '# One\n\ntyped while signed out\n'
    const out = await sendEditor(browser, `${pathOf(id)}/preview`, { ...fields, text: typed })
    expect([out.status, editorText(out.text)]).toEqual([401, typed.replaceAll('\n', '\r\n')])
    await signIn(browser, ann.email)
    const expired = await sendEditor(browser, pathOf(id), {
      ...hiddenFields(out.text, pathOf(id)),
      text: editorText(out.text),
    })
    expect([expired.status, editorText(expired.text)]).toEqual([403, typed])
    const again = { ...hiddenFields(expired.text, pathOf(id)), text: editorText(expired.text) }
    expect((await sendEditor(browser, pathOf(id), again)).status).toBe(303)
    expect((await storedBook(server, id)).pages[0]).toBe(typed)
  })
})

describe('the book of a team', () => {
  async function shared(accessLevel: 'READ' | 'WRITE') {
    const [teams, owner, bob] = [
      createTeamClient(server),
      await server.createPerson(),
      await signedInPerson(server, { name: 'Bob' }),
    ]
    const teamId = await teams.createTeam(owner)
    await teams.addMember(teamId, bob.account)
    const id = await makeBook(server, owner, { content: twoPages })
    await teams.shareItem(teamId, owner, id, { accessLevel })
    return { teams, owner, bob, teamId, id }
  }

  test('is edited by its writers; a user who loses write access sees the typed text', async () => {
    const { teams, owner, bob, teamId, id } = await shared('WRITE')
    const first = await openEditor(bob.browser, pathOf(id))
    expect((await sendEditor(bob.browser, pathOf(id), { ...first, text: '# One\n\nby Bob\n' })).status).toBe(303)
    const fields = await openEditor(bob.browser, pathOf(id))
    await teams.call(owner, `PATCH /teams/${teamId}/items`, { itemId: id, accessLevel: 'READ' })
    const refused = await sendEditor(bob.browser, pathOf(id), { ...fields, text: 'typed by Bob' })
    expect(refused.status).toBe(403)
    expect(visibleText(refused.text)).toContain('Copy it before you leave this page')
    expect(refused.text).toContain('typed by Bob</textarea>')
    const later = await bob.browser.get(pathOf(id))
    expect([later.status, later.text.includes('typed by Bob</textarea>')]).toEqual([403, true])
    await teams.call(owner, `DELETE /teams/${teamId}/items`, { itemId: id })
    const gone = await sendEditor(bob.browser, pathOf(id), { ...fields, text: 'typed by Bob' })
    expect([gone.status, gone.text.includes('typed by Bob</textarea>')]).toEqual([404, true])
  })

  test('has no editor for its readers, who get the next step, and does not exist for strangers', async () => {
    const { bob, id } = await shared('READ')
    for (const path of [`/books/${id}/edit`, pathOf(id), pathOf(id, 'end')]) {
      const { status, text } = await bob.browser.get(path)
      expect([path, status]).toEqual([path, 403])
      expect(visibleText(text)).toContain('Ask the owner of the book')
      expect((await ann.browser.get(path)).status).toBe(404)
    }
    const answer = await ann.browser.post(`${pathOf(id)}/draft`, {
      ...(await openEditor(ann.browser, pathOf(await bookOfAnn()))),
      text: 'x',
    })
    expect(answer.status).toBe(404)
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(0)
  })

  test('an imported book says that it has no editor', async () => {
    const id = await bookOfAnn()
    await rows('books').updateOne({ _id: id }, { $set: { sourceType: 'pdf' } })
    const { status, text } = await ann.browser.get(`/books/${id}/edit`)
    expect([status, visibleText(text).includes('This book has no editor')]).toEqual([409, true])
    expect(visibleText(text)).toContain('Only Markdown books can be edited')
    expect(text).toContain('href="/add/markdown"')
  })
})

describeWith(chromiumNeed)('an editor in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(
    path: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    await context.addCookies([
      { name: 'lectern', value: ann.browser.cookies.get('lectern') ?? '', url: server.baseUrl },
    ])
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(server.baseUrl + path)
    return { page, context, problems }
  }

  const text = (page: Page) => page.getByRole('textbox', { name: 'Text' })
  const state = (page: Page) => page.locator('[data-state]')

  test('saves drafts and shows the preview during typing, and saves with Ctrl+S', async () => {
    const id = await bookOfAnn()
    const { page, problems } = await open(pathOf(id))
    await text(page).fill('# One\n\nnow <script>typed</script>\n')
    await page.locator('#preview').getByText('typed').waitFor()
    await state(page).getByText('Draft kept at').waitFor()
    const { page: other } = await open(`${pathOf(id)}?draft=1`)
    expect(await text(other).inputValue()).toBe('# One\n\nnow <script>typed</script>\n')
    await text(page).press('End')
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Saved as version 2.').waitFor()
    expect((await storedBook(server, id)).pages[0]).toBe('# One\n\nnow <script>typed</script>\n')
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(0)
    expect(problems).toEqual([])
  })

  test('asks before leaving only while something is unsaved', async () => {
    const id = await bookOfAnn()
    const { page } = await open(pathOf(id))
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await text(page).pressSequentially('x')
    await page.goto(`${server.baseUrl}/account`)
    expect(asked).toEqual(['beforeunload'])
    await page.goto(server.baseUrl + pathOf(id))
    await text(page).pressSequentially('y')
    await state(page).getByText('Draft kept at').waitFor()
    await page.goto(`${server.baseUrl}/account`)
    expect(asked).toEqual(['beforeunload'])
  })

  test('keeps the draft at once when the page is hidden, because a phone may end it; a saved text has none', async () => {
    const id = await bookOfAnn()
    const { page } = await open(pathOf(id))
    await page.clock.install()
    await page.clock.pauseAt(new Date(Date.now() + 60_000))
    await text(page).fill('# One\n\nleft\n')
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true }); document.dispatchEvent(new Event('visibilitychange'))",
    )
    await expect.poll(() => rows('drafts').countDocuments({ itemId: id })).toBe(1)
    await page.clock.resume()
    await text(page).fill('# One\n\nsaved\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as version 2.').waitFor()
    expect(await rows('drafts').countDocuments({ itemId: id })).toBe(0)
  })

  test.for([
    ['there is no connection', (_: Page, context: BrowserContext) => context.setOffline(true)],
    [
      'a proxy answers for the server',
      (page: Page) => page.route('**/notifications/unread', (r) => r.fulfill({ status: 502 })),
    ],
  ] as const)('keeps the text on the page while %s, and saves it later', async ([, interrupt]) => {
    const id = await bookOfAnn()
    const { page, context } = await open(pathOf(id))
    await interrupt(page, context)
    await text(page).fill('# One\n\ntyped on a train\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('Your text is still here.').waitFor()
    expect(await text(page).inputValue()).toBe('# One\n\ntyped on a train\n')
    await context.setOffline(false)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved as version 2.').waitFor()
    expect((await storedBook(server, id)).pages[0]).toBe('# One\n\ntyped on a train\n')
  })

  test('previews headings as readers see them', async () => {
    const id = await bookOfAnn('# Title\n\ntext\n\n## Section\n\nmore\n')
    const { page } = await open(pathOf(id))
    const looks = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.page-text :is(h2, h3)')].map((one) => getComputedStyle(one).fontFamily + getComputedStyle(one).color)",
      )
    await text(page).fill('# Title\n\ntext\n\n## Section\n\nmore again\n')
    await page.locator('#preview').getByText('more again').waitFor()
    const previewed = await looks()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/edit/1?done=saved*')
    await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
    expect(previewed).toHaveLength(2)
    expect(previewed).toEqual(await looks())
  })

  test('reports a draft of another window, and saves this one on request', async () => {
    const id = await bookOfAnn()
    const [{ page: one }, { page: two }] = [await open(pathOf(id)), await open(pathOf(id))]
    await text(one).fill('window one')
    await state(one).getByText('Draft kept at').waitFor()
    await text(two).fill('window two')
    await state(two).getByText('Another window').waitFor()
    await two.getByRole('button', { name: 'Keep this text' }).click()
    await state(two).getByText('Draft kept at').waitFor()
    const row = await rows('drafts').findOne({ itemId: id } as object)
    expect(row).toMatchObject({ content: 'window two' })
  })

  test('continues saving drafts after signing out and in again', async () => {
    const id = await bookOfAnn()
    const { page, context } = await open(pathOf(id))
    const mine = ann.browser.cookies.get('lectern') ?? ''
    await context.clearCookies()
    await text(page).fill('typed while signed out')
    await state(page).getByText('You are signed out').waitFor()
    const again = webClient(server)
    await signIn(again, ann.email)
    expect(again.cookies.get('lectern')).not.toBe(mine)
    await context.addCookies([{ name: 'lectern', value: again.cookies.get('lectern') ?? '', url: server.baseUrl }])
    await page.getByRole('button', { name: 'Try again' }).click()
    await state(page).getByText('Draft kept at').waitFor()
    expect(await text(page).inputValue()).toBe('typed while signed out')
  })

  test('Tab indents during typing, and never traps the keyboard', async () => {
    const id = await bookOfAnn()
    const { page } = await open(pathOf(id))
    const focused = () => page.evaluate('document.activeElement.tagName + document.activeElement.textContent.trim()')
    await text(page).focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('BUTTONSave')
    await text(page).fill('')
    await text(page).focus()
    await page.keyboard.type('a')
    await page.keyboard.press('Tab')
    expect(await text(page).inputValue()).toBe('a    ')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('BUTTONSave')
  })

  test('everything before and after a Tab can be undone', async () => {
    const id = await bookOfAnn()
    const { page } = await open(pathOf(id))
    const before = await text(page).inputValue()
    await text(page).focus()
    await page.keyboard.type('a')
    await page.keyboard.press('Tab')
    await page.keyboard.type('b')
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ControlOrMeta+z')
    expect(await text(page).inputValue()).toBe(before)
  })

  test('three columns become sections on a phone, and the font is remembered', async () => {
    const [id, agent] = [await bookOfAnn(), await agentOf(server, ann, 'Claude Code')]
    const { page, problems } = await open(pathOf(id), { viewport: { width: 1280, height: 900 } })
    await page.getByLabel('Monospace').check()
    await agent('put_item_page', { id, pageNum: 1, content: '# One\n\nby the agent\n' })
    await text(page).fill('# One\n\nby me\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const lefts = () =>
      page.evaluate(
        "new Set([...document.querySelectorAll('.versions-beside section')].map((one) => one.getBoundingClientRect().left)).size",
      )
    await page.getByRole('heading', { name: 'Page 1 was changed in the meantime' }).waitFor()
    expect(await lefts()).toBe(3)
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await lefts()).toBe(1)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Save this text' }).click()
    await page.getByText('Saved as version 3.').waitFor()
    expect(await page.getByLabel('Monospace').isChecked()).toBe(true)
    expect(problems).toEqual([])
  })
})
