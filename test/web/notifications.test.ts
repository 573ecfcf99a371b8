import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { extractionMessages } from '../../src/imports/extract/extraction-error.ts'
import { createAccount } from '../../src/accounts/create-account.ts'
import type { NotificationType } from '../../src/notifications/schema.ts'
import { countUnread } from '../../src/notifications/list-notifications.ts'
import { newId } from '../../src/core/ids.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import { rest } from '../support/transports.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

interface Told {
  type?: NotificationType
  title?: string
  body?: string
  metadata?: Record<string, unknown>
  minutesAgo?: number
}

async function tell({ account }: Pick<WebPerson, 'account'>, told: Told = {}): Promise<string> {
  const { notifications, now } = server.running.opened.services
  const { minutesAgo = 0, ...fields } = told
  const createdAt = new Date(now().getTime() - minutesAgo * 60_000)
  const id = newId()
  const values = { type: 'item_shared' as const, title: 'Something', body: '', metadata: {}, ...fields }
  await notifications.add({ id, accountId: account.id, createdAt, readAt: null, ...values })
  return id
}

const unreadOf = ({ account }: WebPerson) =>
  countUnread({ ...server.running.opened.services, actor: { id: account.id } } as never)

/** Returns the titles of the notifications on a page, in order. */
const titlesOn = (text: string) =>
  [...text.matchAll(/<strong dir="auto">(?:<a [^>]*>)?([^<]*)/g)].map(([, title]) => title)

describe('the notifications', () => {
  test('an empty list says what will appear, and the next step', async () => {
    const { browser } = await signedInPerson(server)
    const { text } = await browser.get('/notifications')
    expect(text).toContain('You have no notifications yet')
    expect(text).toMatch(/<a class="button" href="\/add">.*Add books<\/a>/)
    expect(text).not.toContain('Mark all as read')
  })

  test.for<[NotificationType, Told, RegExp, RegExp | null]>([
    ['import_finished', { metadata: { itemId: 'b1' } }, /href="\/books\/b1"/, null],
    [
      'import_failed',
      { body: extractionMessages.ENCRYPTED, metadata: { itemId: 'b1' } },
      /href="\/imports"/,
      /protected by a password\. If it is a PDF, enter its password/,
    ],
    [
      'team_invite',
      { body: 'Accept or decline it at https://x/invites' },
      /href="\/invites"/,
      /accept or decline it\./,
    ],
    ['item_shared', { body: 'Ann shared it.', metadata: { itemId: 'b2' } }, /href="\/books\/b2"/, /Ann shared it\./],
    ['gap_fulfilled', { metadata: { itemId: 'b3' } }, /href="\/books\/b3"/, null],
    ['folder_imported', { metadata: { added: 2, refused: 0 } }, /href="\/library\?sort=added"/, null],
    ['folder_imported', { metadata: { itemId: 'b5' } }, /href="\/books\/b5"/, null],
  ])('%s links to its subject, in plain words', async ([type, told, link, words]) => {
    const person = await signedInPerson(server)
    await tell(person, { type, ...told })
    const { text } = await person.browser.get('/notifications')
    expect(text).toMatch(link)
    if (words) expect(text).toMatch(words)
  })

  test('a withdrawn book stays in the library, until its owner deletes it', async () => {
    const owner = await server.createPerson()
    const reader = await signedInPerson(server)
    const { key } = await createApiKey(server.running.opened.services, reader.account.id, {})
    const { itemId, listingId } = await publishBook(server, owner, { title: 'Of the tides' })
    await subscribe(server, { id: reader.account.id, email: reader.email, key }, listingId)
    expect((await rest.call(server, owner, 'withdraw_listing', { id: listingId })).ok).toBe(true)
    for (const path of ['/notifications', '/notifications/menu']) {
      const { text } = await reader.browser.get(path)
      expect(text).toContain(`href="/books/${itemId}"`)
      expect(text).toContain('It stays in your library, and you can go on reading it.')
    }
    expect((await rest.call(server, owner, 'delete_items', { ids: [itemId] })).ok).toBe(true)
    for (const path of ['/notifications', '/notifications/menu']) {
      const { text } = await reader.browser.get(path)
      expect(text).toContain('is no longer on the marketplace')
      expect(text).not.toContain('It stays in your library')
      expect(text).toContain('You can no longer read it: its owner has deleted it')
      expect(text).not.toContain(`href="/books/${itemId}"`)
    }
  })

  test('titles and texts of others are text, never markup', async () => {
    const person = await signedInPerson(server)
    await tell(person, { title: '<img src=x>', body: '<b onclick=x>', metadata: { itemId: '"><script>' } })
    for (const path of ['/notifications', '/notifications/menu']) {
      const { text } = await person.browser.get(path)
      expect(text).toContain('&lt;img src=x&gt;')
      expect(text).not.toMatch(/<img src=x|<b onclick|<script>/)
    }
  })

  test('one is marked as read, and the others stay unread; the list keeps its position', async () => {
    const person = await signedInPerson(server)
    await tell(person, { title: 'Older', minutesAgo: 2 })
    await tell(person, { title: 'Newer', minutesAgo: 1 })
    const { text } = await person.browser.get('/notifications?show=unread')
    expect(text).toMatch(/Unread<\/span\s*><span class="number">2</)
    // The last form on the page belongs to the older notification.
    const answer = await person.browser.submit('/notifications?show=unread', '/notifications/read', {})
    expect(answer).toMatchObject({ status: 303, location: '/notifications?done=one&show=unread' })
    const unread = await person.browser.get('/notifications?show=unread&done=one')
    expect(titlesOn(unread.text)).toEqual(['Newer'])
    expect(unread.text).toMatch(/role="status">Marked as read\./)
    expect(titlesOn((await person.browser.get('/notifications')).text)).toEqual(['Newer', 'Older'])
  })

  test('all are marked as read, except those that arrived after the page was rendered', async () => {
    const person = await signedInPerson(server)
    await tell(person, { title: 'Seen', minutesAgo: 5 })
    const { text } = await person.browser.get('/notifications')
    await tell(person, { title: 'Not seen yet' })
    const fields = hiddenFields(text, '/notifications/read-all')
    expect((await person.browser.post('/notifications/read-all', fields)).location).toBe('/notifications?done=all')
    expect(await unreadOf(person)).toBe(1)
    expect(titlesOn((await person.browser.get('/notifications?show=unread')).text)).toEqual(['Not seen yet'])
  })

  test('a long list is paginated without duplicates, even for the same moment', async () => {
    const person = await signedInPerson(server)
    const { notifications, now } = server.running.opened.services
    const at = now()
    const rows = Array.from({ length: 70 }, (_, index) => ({
      id: newId(),
      accountId: person.account.id,
      type: 'item_shared' as const,
      title: `Number ${index}`,
      body: '',
      metadata: {},
      createdAt: new Date(at.getTime() - Math.floor(index / 40)),
      readAt: null,
    }))
    await notifications.addAll(rows)
    const titles: (string | undefined)[] = []
    let path: string | undefined = '/notifications'
    let parts = 0
    while (path !== undefined && parts < 10) {
      const { text }: { text: string } = await person.browser.get(path)
      titles.push(...titlesOn(text))
      path = /href="(\/notifications\?cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      parts += 1
    }
    expect(parts).toBe(3)
    expect(titles).toHaveLength(70)
    expect(new Set(titles)).toEqual(new Set(rows.map(({ title }) => title)))
  })

  test('an invalid cursor is refused with the next step', async () => {
    const { browser } = await signedInPerson(server)
    const answer = await browser.get('/notifications?cursor=x')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Omit it to start again')
  })

  test("another account's notifications are neither shown nor marked", async () => {
    const [ann, ben] = [await signedInPerson(server), await signedInPerson(server)]
    const id = await tell(ann, { title: 'For Ann' })
    await tell(ben, { title: 'For Ben' })
    expect(titlesOn((await ben.browser.get('/notifications')).text)).toEqual(['For Ben'])
    await ben.browser.submit('/notifications', '/notifications/read', { id })
    await ben.browser.submit('/notifications', '/notifications/read-all', {})
    expect(await unreadOf(ann)).toBe(1)
  })
})

describe('the menu in the header', () => {
  test('contains the latest eight with the number of unread ones, in a single element', async () => {
    const person = await signedInPerson(server)
    for (let index = 0; index < 10; index += 1) await tell(person, { title: `Number ${index}`, minutesAgo: 10 - index })
    const { status, text, headers } = await person.browser.get('/notifications/menu')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(titlesOn(text)).toEqual([9, 8, 7, 6, 5, 4, 3, 2].map((index) => `Number ${index}`))
    expect(text).toMatch(/^<div class="latest-notifications" data-unread="10">/)
    expect(text).not.toContain('<html')
  })

  test('the number stops at 99+', async () => {
    const person = await signedInPerson(server)
    for (let index = 0; index < 120; index += 1) await tell(person)
    expect((await person.browser.get('/notifications/unread')).text).toBe('{"unread":"99+"}')
    expect((await person.browser.get('/notifications')).text).toMatch(/Unread<\/span\s*><span class="number">99\+</)
  })

  test.for(['/notifications/menu', '/notifications/unread', '/imports/events'])(
    'a script without a session gets a refusal from %s instead of the sign-in page',
    async (path) => {
      const response = await fetch(server.baseUrl + path, { redirect: 'manual' })
      expect(response.status).toBe(401)
      expect(await response.json()).toEqual({
        error: { code: 'UNAUTHENTICATED', message: expect.stringContaining('Sign in') },
      })
    },
  )
})

describeWith(chromiumNeed)('the number on the bell', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(person: WebPerson, path: string): Promise<Page> {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    await page.goto(server.baseUrl + path)
    return page
  }

  /** Simulates a person who returns to the tab. */
  const comeBack = (page: Page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  const bell = (page: Page) => page.locator('summary', { hasText: 'Notifications' })

  test('follows changes while a page is open, and disappears when all are read', async () => {
    const person = await signedInPerson(server)
    const page = await open(person, '/library')
    await expect.poll(() => bell(page).innerText()).toBe('Notifications')
    await tell(person)
    await tell(person)
    await comeBack(page)
    await expect.poll(() => bell(page).locator('.count').textContent()).toBe('2 unread')
    const { text } = await person.browser.get('/notifications')
    await person.browser.post('/notifications/read-all', hiddenFields(text, '/notifications/read-all'))
    await comeBack(page)
    await expect.poll(() => bell(page).locator('.count').count()).toBe(0)
  })

  test.for(['in the menu', 'on their page'])('a notification that is followed %s counts as read', async (place) => {
    const person = await signedInPerson(server)
    await tell(person, { title: 'An older one', type: 'team_invite' })
    await tell(person, { title: 'Your invitation', type: 'team_invite' })
    const page = await open(person, place === 'in the menu' ? '/library' : '/notifications')
    if (place === 'in the menu') await bell(page).click()
    await page.getByRole('link', { name: 'Your invitation' }).click()
    await page.waitForURL('**/invites')
    await expect.poll(() => unreadOf(person)).toBe(1)
    const { text } = await person.browser.get('/notifications?show=unread')
    expect(titlesOn(text)).toEqual(['An older one'])
  })

  test('on the notifications page the new ones are offered', async () => {
    const person = await signedInPerson(server)
    const page = await open(person, '/notifications')
    await bell(page).waitFor()
    await tell(person, { title: 'News' })
    await comeBack(page)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('News').waitFor()
  })
})

test('counting and listing use an index, however many notifications others have', async () => {
  const { services, database } = server.running.opened
  const account = await createAccount(services, { email: 'indexed@lectern.example' })
  await tell({ account })
  for (const [filter, sort] of [
    [{ accountId: account.id, readAt: null }, {}],
    [
      { accountId: account.id, readAt: null },
      { createdAt: -1, _id: -1 },
    ],
    [{ accountId: account.id }, { createdAt: -1, _id: -1 }],
  ] as const) {
    const found = database.db.collection('notifications').find(filter).sort(sort)
    const { executionStats } = await found.explain('executionStats')
    expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 })
  }
})
