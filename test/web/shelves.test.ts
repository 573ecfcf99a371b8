import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeShelf, shelfSlugs } from '../support/shelves.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** A signed-in person with these shelves. */
async function personWith(...names: string[]): Promise<WebPerson & { ids: string[] }> {
  const person = await signedInPerson(server)
  const ids: string[] = []
  for (const name of names) ids.push((await makeShelf(server, person.account, name)).id)
  return { ...person, ids }
}

const stored = (person: WebPerson) => server.running.opened.services.shelves.list(person.account.id)

describe('shelves without JavaScript', () => {
  test('are created, with a colour or without', async () => {
    const person = await personWith()
    expect((await person.browser.get('/shelves')).text).toContain('No shelves yet')
    const first = await person.browser.submit('/shelves', '/shelves', { name: ' Course <1> ', color: '#3366cc' })
    expect(first.location).toBe('/shelves?done=created')
    await person.browser.submit('/shelves', '/shelves', { name: 'Blue', color: '#3366cc', coloured: 'on' })
    expect((await stored(person)).map(({ name, color }) => [name, color])).toEqual([
      ['Course <1>', null],
      ['Blue', '#3366cc'],
    ])
    const { text } = await person.browser.get('/shelves')
    expect(text).toContain('Course &lt;1&gt;')
    expect(text).toContain('fill="#3366cc"')
    expect(text).not.toContain('style=')
  })

  test('are renamed and recoloured', async () => {
    const person = await personWith('Old')
    const [shelf = ''] = person.ids
    const fields = { shelf, name: 'New', color: '#00ff00', coloured: 'on' }
    expect((await person.browser.submit('/shelves', '/shelves/change', fields)).location).toBe('/shelves?done=changed')
    expect(await stored(person)).toMatchObject([{ name: 'New', color: '#00ff00' }])
    await person.browser.submit('/shelves', '/shelves/change', { shelf, name: 'New', color: '#00ff00' })
    expect(await stored(person)).toMatchObject([{ color: null }])
  })

  test('move up and down, within the list', async () => {
    const person = await personWith('a', 'b', 'c')
    const [a = '', b = '', c = ''] = person.ids
    const move = (shelf: string, fields: Record<string, string>) =>
      person.browser.submit('/shelves', '/shelves/move', { shelf, ...fields })
    await move(c, { direction: 'up' })
    expect(await shelfSlugs(server, person.account)).toEqual(['a', 'c', 'b'])
    await move(a, { direction: 'down' })
    expect(await shelfSlugs(server, person.account)).toEqual(['c', 'a', 'b'])
    await move(c, { direction: 'up' })
    await move(b, { direction: 'down' })
    expect(await shelfSlugs(server, person.account)).toEqual(['c', 'a', 'b'])
    await move(b, { position: '0' })
    expect(await shelfSlugs(server, person.account)).toEqual(['b', 'c', 'a'])
    expect((await move(b, { position: 'x' })).status).toBe(400)
    expect((await move('gone', { direction: 'up' })).status).toBe(404)
  })

  test('are deleted; a refused name stays in the form', async () => {
    const person = await personWith('Keep', 'Drop')
    const [keep = '', drop = ''] = person.ids
    await person.browser.submit('/shelves', '/shelves/delete', { shelf: drop })
    expect(await shelfSlugs(server, person.account)).toEqual(['keep'])
    await makeShelf(server, person.account, 'Taken')
    const refused = await person.browser.submit('/shelves', '/shelves/change', { shelf: keep, name: 'Taken' })
    expect(refused.status).toBe(409)
    expect(refused.text).toMatch(new RegExp(`id="name-${keep}"[^>]*value="Taken"|value="Taken"[^>]*id="name-${keep}"`))
    const created = await person.browser.submit('/shelves', '/shelves', { name: 'taken' })
    expect([created.status, created.text.includes('value="taken"')]).toEqual([409, true])
  })

  test('keep the choice of a colour after a refusal', async () => {
    const { browser, ids } = await personWith('Keep', 'Taken')
    const chosen = /name="coloured" value="on"\s+checked/
    // Browsers send the colour of the field even if none was chosen.
    const without = await browser.submit('/shelves', '/shelves', { name: 'taken', color: '#123456' })
    expect([without.status, chosen.test(without.text)]).toEqual([409, false])
    const fields = { name: 'taken', coloured: 'on', color: '#123456' }
    const forms = { '/shelves': fields, '/shelves/change': { ...fields, shelf: ids[0] as string } }
    for (const [action, sent] of Object.entries(forms)) {
      const { status, text } = await browser.submit('/shelves', action, sent)
      expect([action, status, chosen.test(text), text.includes('value="#123456"')]).toEqual([action, 409, true, true])
    }
  })

  test('require a session and its token', async () => {
    const person = await personWith('a')
    const fields = { shelf: person.ids[0] as string }
    expect((await person.browser.post('/shelves/delete', fields)).status).toBe(403)
    expect((await webClient(server).get('/shelves')).location).toMatch(/^\/sign-in/)
    const stranger = await personWith()
    const foreign = await stranger.browser.submit('/shelves', '/shelves', { name: 'Mine' })
    expect(foreign.status).toBe(303)
    expect((await stranger.browser.submit('/shelves', '/shelves/delete', fields)).status).toBe(404)
    expect(await shelfSlugs(server, person.account)).toEqual(['a'])
  })
})

describeWith(chromiumNeed)('shelves in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(person: WebPerson): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 900, height: 900 } })
    onTestFinished(() => context.close())
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/shelves`)
    return page
  }

  const shown = (page: Page) =>
    page
      .locator('[data-shelf]')
      .evaluateAll((rows) => rows.map((row) => (row as unknown as { dataset: Record<string, string> }).dataset['name']))

  async function storedOrder(person: WebPerson, expected: readonly string[]) {
    await expect.poll(() => shelfSlugs(server, person.account), { timeout: 20_000 }).toEqual(expected)
  }

  test('are reordered with the keyboard, which announces their position', { timeout: 60_000 }, async () => {
    const person = await personWith('a', 'b', 'c')
    const page = await open(person)
    const news = page.locator('[data-order-news]')
    await page.getByRole('button', { name: 'Move c', exact: true }).focus()
    await page.keyboard.press('Space')
    expect(await news.textContent()).toContain('c lifted, number 3 of 3')
    await page.keyboard.press('ArrowUp')
    expect(await news.textContent()).toBe('number 2 of 3')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Space')
    expect(await news.textContent()).toBe('c is number 1 of 3.')
    expect(await shown(page)).toEqual(['c', 'a', 'b'])
    await storedOrder(person, ['c', 'a', 'b'])
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect(await shown(page)).toEqual(['c', 'a', 'b'])
    expect(await news.textContent()).toContain('Not moved')
    await storedOrder(person, ['c', 'a', 'b'])
  })

  test('are reordered by drag; a refused order is reverted', { timeout: 60_000 }, async () => {
    const person = await personWith('a', 'b', 'c')
    const page = await open(person)
    const drag = async (name: string, target: string) => {
      const from = await page.getByRole('button', { name: `Move ${name}`, exact: true }).boundingBox()
      const to = await page.getByRole('button', { name: `Move ${target}`, exact: true }).boundingBox()
      if (!from || !to) throw new Error('no handles')
      await page.mouse.move(from.x + 5, from.y + 5)
      await page.mouse.down()
      await page.mouse.move(from.x + 5, to.y - 40, { steps: 5 })
      await page.mouse.up()
    }
    await drag('c', 'a')
    expect(await shown(page)).toEqual(['c', 'a', 'b'])
    await storedOrder(person, ['c', 'a', 'b'])
    await page.route('**/shelves/move', (route) => route.abort())
    await drag('b', 'c')
    await page.getByText('The new order was not saved').waitFor()
    expect(await shown(page)).toEqual(['c', 'a', 'b'])
  })

  test('are accessible, collapsed and expanded', { timeout: 60_000 }, async () => {
    const page = await open(await personWith('One', 'x'.repeat(50)))
    await page.locator('.shelf-change summary').first().click()
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8'))
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(
        await page.evaluate(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html)))',
        ),
      ).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
  })
})
