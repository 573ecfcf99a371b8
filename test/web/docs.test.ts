import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { errorCatalogue } from '../../src/core/error-catalogue.ts'
import { guides } from '../../src/web/pages/docs/guides/index.ts'
import { tools } from '../../tools/index.ts'
import {
  codeUnder,
  idsOf,
  linksOf,
  operationsOf,
  plainText,
  readDocs,
  runShell,
  shellBlocksOf,
  type DocsPage,
} from '../support/docs-pages.ts'
import { makeBook } from '../support/make-book.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, curlNeed, describeWith, launchBrowser, testWith } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

interface Document {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}

const server = useTestServer({ LECTERN_ROLE: 'web' })
let pages: DocsPage[]
let document: Document
let directory: string

beforeAll(async () => {
  pages = await readDocs(server)
  document = (await (await fetch(`${server.baseUrl}/api/v1/openapi.json`)).json()) as Document
  directory = await mkdtemp(join(tmpdir(), 'lectern-docs-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const described = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )

const textOf = (path: string) => pages.find((page) => page.path === path)?.text ?? ''

describe('the pages of the reference', () => {
  test('link to each other: every linked page and anchor exists', () => {
    const anchors = new Map(pages.map(({ path, text }) => [path, new Set(idsOf(text))]))
    const broken = pages.flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => link.startsWith('/docs') || link.startsWith('#'))
        .filter((link) => {
          const [target = '', anchor] = link.split('#')
          const ids = anchors.get(target.replace(/\?.*/, '') || path)
          return !ids || (anchor !== undefined && !ids.has(anchor))
        })
        .map((link) => `${path}: ${link}`),
    )
    expect(pages.length).toBeGreaterThan(guides.length + 5)
    expect(broken).toEqual([])
  })

  test('have unique ids', () => {
    for (const { path, text } of pages) {
      const ids = idsOf(text)
      expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []])
    }
  })

  test('have headings in order', () => {
    for (const { path, text } of pages) {
      const levels = [...text.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level))
      const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)
      expect([path, levels.filter((level) => level === 1).length, jumps]).toEqual([path, 1, []])
    }
  })

  test('load nothing from elsewhere, and each less than 90 kB', async () => {
    for (const { path, text } of pages) {
      expect(text).not.toMatch(/(?:src|<link[^>]*href)="(?:https?:)?\/\//)
      const response = await fetch(server.baseUrl + path, { headers: { 'Accept-Encoding': 'gzip' } })
      expect(response.headers.get('content-encoding')).toBe('gzip')
      expect(gzipSync(text).length).toBeLessThan(90_000)
    }
  })

  test("show this server's URL, and never a key", async () => {
    const { browser, account } = await signedInPerson(server)
    const { text } = await browser.get('/docs')
    expect(text).toContain(`${server.baseUrl}/api/v1/mcp`)
    expect(text).toContain('href="/keys">Create a key</a>')
    expect(text).not.toContain(account.email)
    expect(textOf('/docs')).toContain('Sign in to create a key')
    for (const page of pages) expect(page.text).not.toMatch(/\b(?:lectern|ck)_\w{16}/)
  })
})

describe('every operation', () => {
  /** The pages that describe an operation, with its section there. */
  let sections: Map<string, { path: string; section: string }[]>
  beforeAll(() => {
    const all = pages.flatMap(({ path, text }) =>
      [...operationsOf(text)].map(([id, section]) => ({ id, path, section })),
    )
    sections = Map.groupBy(all, ({ id }) => id)
  })
  const sectionsOf = (id: string) => sections.get(id) ?? []

  test('of the description is on exactly one page, with its method, its path and a call', () => {
    expect(described().length).toBeGreaterThan(90)
    for (const { operationId, method, path } of described()) {
      const found = sectionsOf(operationId)
      expect([operationId, found.length]).toEqual([operationId, 1])
      const [{ section } = { section: '' }] = found
      expect(plainText(section)).toContain(`${method}${path}`)
      const curl = codeUnder(section, 'curl') ?? ''
      const pattern = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/ ]+')
      expect(curl).toMatch(
        new RegExp(`^curl (-N )?(-G )?${method === 'GET' ? '' : `-X ${method} `}'?${server.baseUrl}${pattern}[\\s?]?`),
      )
      expect(curl.includes('-H "Authorization: Bearer $LECTERN_KEY"')).toBe(takesKey(operationId))
    }
  })

  test('that is a tool shows the call of the tool with its example', () => {
    for (const { name, example, mcp } of tools) {
      const [found] = sectionsOf(name)
      const call = found && codeUnder(found.section, 'MCP')
      if (mcp === false) expect([name, call]).toEqual([name, null])
      else expect(JSON.parse(call ?? '{}')).toEqual({ method: 'tools/call', params: { name, arguments: example } })
    }
  })

  test('has each refusal with its cause and its remedy', () => {
    for (const { operationId, responses } of described()) {
      const section = sectionsOf(operationId)[0]?.section ?? ''
      const refusals = [...section.matchAll(/<strong>([45]\d\d)<\/strong>\s*<a href="\/docs\/errors#(\w+)"/g)]
      const statuses = Object.keys(responses).filter((status) => /^[45]\d\d$/.test(status) && status !== '416')
      expect([operationId, new Set(refusals.map(([, status]) => status))]).toEqual([operationId, new Set(statuses)])
      for (const [, , code = ''] of refusals) {
        const { cause, remedy } = errorCatalogue[code as keyof typeof errorCatalogue]
        expect(plainText(section).replaceAll(/\s+/g, ' ')).toContain(`${cause} ${remedy}`)
      }
    }
  })

  test('has its scope and its rate limit', () => {
    for (const { name, scope, rateBucket, rest } of tools) {
      const words = plainText(sectionsOf(name)[0]?.section ?? '')
      if (rest?.credential !== 'none' && rest?.credential !== 'session')
        expect([name, words.includes(scope)]).toEqual([name, true])
      const limited = rest && rateBucket !== 'none'
      if (limited) expect(words).toContain(`${rateLimits[rateBucket]} a minute (${rateBucket})`)
    }
  })

  function takesKey(id: string): boolean {
    const tool = tools.find(({ name, rest }) => name === id || (rest?.events && `${name}_events` === id))
    return tool !== undefined && tool.rest?.credential !== 'none' && tool.rest?.credential !== 'session'
  }
})

describe('the guides', () => {
  test('errors: every code has its cause, its remedy and an anchor', () => {
    const text = textOf('/docs/errors')
    for (const [code, { cause, remedy }] of Object.entries(errorCatalogue)) {
      expect(idsOf(text)).toContain(code)
      expect(plainText(text)).toContain(cause)
      expect(plainText(text)).toContain(remedy)
    }
  })

  test('limits: every bucket has its number, and every plan of the server a column', () => {
    const text = textOf('/docs/limits')
    for (const [bucket, calls] of Object.entries(rateLimits)) {
      expect(text).toMatch(new RegExp(`id="${bucket}">\\s*<th[^>]*><code>${bucket}</code></th>\\s*<td>${calls}</td>`))
    }
    for (const tier of server.running.opened.services.plans.tiers) expect(text).toContain(`<code>${tier}</code>`)
  })

  testWith(curlNeed).for(['/docs', ...guides.map(({ slug }) => `/docs/${slug}`)])(
    '%s: its commands run unchanged, one after the other',
    async (path) => {
      const person = await server.createPerson({ plan: 'PRO' })
      await makeBook(server, person, { title: 'Notes', content: '# One\n\nSome notes.\n' })
      const blocks = shellBlocksOf(textOf(path))
      expect(blocks.length).toBeGreaterThan(0)
      const source = blocks.map((block, index) => `echo "block ${index}" >&2\n${block.source}`).join('\n')
      const run = await runShell(source, { cwd: directory, env: { LECTERN_KEY: person.key } })
      expect([run.code, run.stderr]).toEqual([0, expect.stringContaining(`block ${blocks.length - 1}`)])
      const parts = run.stderr.split(/^block \d+$/m).slice(1)
      expect(parts.length).toBe(blocks.length)
      for (const [index, { refused, source: command }] of blocks.entries()) {
        const statuses = [...(parts[index] ?? '').matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status))
        const expected = refused === null ? expect.toSatisfy(isSuccess) : refused
        expect([command, statuses.length > 0, statuses]).toEqual([command, true, statuses.map(() => expected)])
      }
    },
  )

  const isSuccess = (status: number) => status >= 200 && status < 300
})

describe('the search', () => {
  const find = async (query: string) =>
    (await fetch(`${server.baseUrl}/docs?${new URLSearchParams({ q: query })}`)).text()

  test.for([
    ['a name', 'append_item_pages', '#append_item_pages'],
    ['a path', '/shelves/{id}/items', '#add_to_shelf'],
    ['words of the description', 'quotes nearest passage', '#check_citations'],
    ['a field', 'replacesItemId', '#confirm_upload'],
    ['the subject of a guide', 'Idempotency', '/docs/idempotency'],
  ] as const)('finds by %s without JavaScript', async ([, query, target]) => {
    const text = await find(query)
    const [, results = ''] = text.split('class="docs-results"')
    expect(linksOf(results).some((link) => link.endsWith(target))).toBe(true)
    expect(plainText(text)).toContain(`for “${query}”`)
  })

  test('reports an empty result, and escapes the query', async () => {
    const text = await find('<b>zzz</b>')
    expect(plainText(text)).toContain('Nothing found for')
    expect(text).not.toContain('<b>zzz')
  })

  test('accepts any input', async () => {
    for (const query of ['   ', '(', 'x'.repeat(5000), '\u0000']) {
      expect((await fetch(`${server.baseUrl}/docs?${new URLSearchParams({ q: query })}`)).status).toBe(200)
    }
  })
})

describe('caches', () => {
  test.for(['/docs', '/docs/errors', '/docs/search.json'])(
    'may keep %s and ask whether it has changed',
    async (path) => {
      const first = await fetch(server.baseUrl + path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
      const again = await fetch(server.baseUrl + path, { headers: { 'If-None-Match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const other = await fetch(server.baseUrl + path, { headers: { 'If-None-Match': 'W/"other"' } })
      expect(other.status).toBe(200)
    },
  )

  test('must not store a page that shows the signed-in user', async () => {
    const { browser } = await signedInPerson(server)
    const { headers, text } = await browser.get('/docs/errors')
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
    expect(text).toContain('Sign out')
  })
})

test('an unknown page is not found', async () => {
  const response = await fetch(`${server.baseUrl}/docs/nothing`)
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('has no page nothing')
})

describeWith(chromiumNeed)('in a browser', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  })
  afterAll(() => browser?.close())

  const isSeen = (selector: string) => page.locator(selector).first().isVisible()

  test('the search shows results during typing, and Enter opens the first', async () => {
    await page.goto(`${server.baseUrl}/docs`)
    await page.keyboard.press('/')
    await page.keyboard.type('append page')
    await page.getByRole('link', { name: /^Append pages/ }).waitFor()
    expect(await isSeen('[data-docs-pages]')).toBe(false)
    await page.keyboard.press('Enter')
    await page.waitForURL(/#append_item_pages$/)
    await page.locator('[data-docs-search] input').fill('zzzz')
    await page.getByText('Nothing found').waitFor()
    await page.keyboard.press('Escape')
    expect(await isSeen('[data-docs-pages]')).toBe(true)
  })

  test('the search during typing finds what the server finds', async () => {
    await page.goto(`${server.baseUrl}/docs?q=version`)
    const listed = await page.locator('.docs-results a').evaluateAll((links) => links.map((link) => link.textContent))
    await page.locator('[data-docs-search] input').fill('Version')
    await page.locator('.docs-found a').first().waitFor()
    const found = await page
      .locator('.docs-found a')
      .evaluateAll((links) => links.map((link) => link.firstChild?.textContent))
    expect(listed.length).toBeGreaterThan(5)
    expect(found).toEqual(listed.slice(0, found.length))
    const kinds = page.locator('.docs-found .field-type')
    const starts = await kinds.evaluateAll((all) => all.map((kind) => Math.round(kind.getBoundingClientRect().left)))
    expect(new Set(starts).size).toBe(1)
  })

  test('a button copies a URL, a whole path, and unchanged code', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${server.baseUrl}/docs/shelves`)
    const copied = async (place: string) => {
      await page.locator(`#create_shelf ${place} .copy-button`).first().click()
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    expect(await copied('.route')).toBe(`${server.baseUrl}/api/v1/shelves`)
    expect(await copied('[data-call="curl"]')).toMatch(/^curl -X POST http/)
    expect(JSON.parse(await copied('[data-call="mcp"]'))).toMatchObject({ params: { name: 'create_shelf' } })
  })

  test('the operation that is being read is marked in the left column', async () => {
    await page.goto(`${server.baseUrl}/docs/shelves#delete_shelf`)
    const marked = page.locator('[data-docs-pages] [aria-current="location"]')
    // Before the page has scrolled, its first operation is marked.
    await expect.poll(() => marked.getAttribute('href'), { timeout: 10_000 }).toBe('/docs/shelves#delete_shelf')
  })

  test.for([
    [1280, true],
    [1280, false],
    [768, false],
    [360, false],
  ] as const)('%d px, script %s: columns, tabs and the collapsed list', async ([width, javaScriptEnabled]) => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled })
    onTestFinished(() => context.close())
    const narrow = await context.newPage()
    await narrow.goto(`${server.baseUrl}/docs/shelves`)
    const seen = (selector: string) => narrow.locator(selector).first().isVisible()
    const box = async (selector: string) =>
      (await narrow.locator(selector).first().boundingBox()) ?? { x: 0, y: 0, width: 0 }
    const [words, code, list] = [
      await box('#get_shelf .operation-words'),
      await box('#get_shelf .operation-code'),
      await box('[data-docs-pages]'),
    ]
    expect({
      list: await seen('[data-docs-pages]'),
      listBeside: list.width > 0 && list.x + list.width <= words.x,
      codeBeside: words.x + words.width <= code.x,
      curl: await seen('#get_shelf [data-call="curl"]'),
      mcp: await seen('#get_shelf [data-call="mcp"]'),
    }).toEqual({
      list: width > 360,
      listBeside: width > 360,
      codeBeside: width === 1280,
      curl: true,
      mcp: width === 1280,
    })
    if (width === 1280) return
    await narrow.locator('#get_shelf [value="mcp"]').check()
    expect([await seen('#get_shelf [data-call="curl"]'), await seen('#get_shelf [data-call="mcp"]')]).toEqual([
      false,
      true,
    ])
  })

  test('in print, both calls are visible and the left column is hidden', async () => {
    await page.goto(`${server.baseUrl}/docs/shelves`)
    await page.emulateMedia({ media: 'print' })
    onTestFinished(() => page.emulateMedia({ media: null }))
    expect(await isSeen('.docs-nav')).toBe(false)
    expect([await isSeen('#get_shelf [data-call="curl"]'), await isSeen('#get_shelf [data-call="mcp"]')]).toEqual([
      true,
      true,
    ])
  })

  test('the first page load costs less than 90 kB without fonts', async () => {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const first = await context.newPage()
    await first.goto(`${server.baseUrl}/docs/teams`, { waitUntil: 'load' })
    const sizes = await first.evaluate<[string, number][]>(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(({ name, transferSize }) => [name, transferSize])`,
    )
    const loaded = sizes.filter(([name]) => !name.includes('.woff2'))
    expect(loaded.length).toBeGreaterThan(3)
    expect(loaded.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(90_000)
  })
})
