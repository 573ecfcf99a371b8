import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { weekOf } from '../../src/research/page-read-store.ts'
import { ocrAdvice } from '../../src/imports/ocr-service.ts'
import { startUpload } from '../../src/imports/start-upload.ts'
import { textAdvice } from '../../src/web/pages/book/text-advice.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { readsUsed } from '../support/charge-reads.ts'
import { contextOf } from '../support/context.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { seedBooks } from '../support/seed-books.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { createTeamClient } from '../support/team-client.ts'
import type { Fields } from '../support/web-client.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ LECTERN_ROLE: 'web' })
})
afterAll(() => server?.close())

const content = '# Ships\n\nA ship.\n\n## Deep\n\nBelow.\n# Whales\n\nA whale.\n# Birds\n\nThe albatross.\n'

async function ownerOfBook(book: Parameters<typeof makeBook>[2] = {}) {
  const person = await signedInPerson(server)
  const id = await makeBook(server, person.account, { title: 'The <Sea>', description: 'About "it"', content, ...book })
  const path = `/books/${id}`
  return {
    ...person,
    id,
    path,
    page: async (query = '') => (await person.browser.get(`${path}${query}`)).text,
    submit: (form: string, fields: Fields = {}) => person.browser.submit(path, `${path}/${form}`, fields),
  }
}

const set = (owner: { id: string }, id: string, fields: object) =>
  server.running.opened.services.books.change(owner.id, id, { set: fields })
const hrefs = (page: string) => [...page.matchAll(/<a [^>]*href="(\/books[^"]*)"/g)].map(([, href]) => href)

/** Returns the part of the page below a heading. */
function section(page: string, id: string): string {
  return new RegExp(`<h2 id="${id}">[\\s\\S]*?</section>`).exec(page)?.[0] ?? ''
}

/** Counts reads of these pages by a program of the owner. */
async function countRead(
  owner: { id: string },
  itemId: string,
  { from, to = from, agent = 'claude-code', at = new Date() }: { from: number; to?: number; agent?: string; at?: Date },
) {
  const { readLog } = server.running.opened.services
  const read = { ownerId: owner.id, pageCount: 3, ranges: [{ from, to }] }
  const books = [{ itemId, title: 'A', depth: 'content' as const, pages: 1, words: 1, read }]
  readLog.count(owner.id, { at, books, tracked: false, newBooks: [], agent })
  await readLog.flush()
}

describe('the book page', () => {
  test('shows title, author, facts, description, uses and contents, for one read', async () => {
    const { account, id, page } = await ownerOfBook()
    const outcomes = ['Names <three> ships']
    await set(account, id, { author: 'Ilse Müller', language: 'de', sampleQuestion: 'What sails?', outcomes })
    const text = await page()
    for (const words of [
      '>The &lt;Sea&gt;</h1>',
      'Ilse Müller',
      'About &quot;it&quot;',
      '3 pages',
      'German',
      'Markdown',
    ])
      expect(text).toContain(words)
    for (const words of ['What sails?', 'Names &lt;three&gt; ships', 'Complete', '>Read from page 1</a>'])
      expect(text).toContain(words)
    const links = hrefs(section(text, 'contents'))
    expect(links).toEqual(
      ['1?v=1#p-ships', '1?v=1#p-deep', '2?v=1#p-whales', '3?v=1#p-birds'].map((path) => `/books/${id}/pages/${path}`),
    )
    expect(section(text, 'contents')).toMatch(/<summary>\s*1 section/)
    expect(await readsUsed(server, account)).toBe(1)
  })

  test("continues reading at the reader's position", async () => {
    const { account, id, page } = await ownerOfBook()
    const { readingPositions } = server.running.opened.services
    readingPositions.save(account.id, id, { page: 2, of: 3, version: 1, at: new Date() })
    await expect.poll(() => page()).toContain(`href="/books/${id}/pages/2?v=1">Continue on page 2</a>`)
  })

  test('of an older version says that the current one is exported', async () => {
    const { account, id, page } = await ownerOfBook()
    await putItemPage(await contextOf(server, account), { id, pageNum: 2, content: '# Whales\n\nNew.\n' })
    expect(await page('?v=1')).toContain('Exports the current text, version 2.')
    for (const query of ['', '?v=2']) expect(await page(query)).not.toContain('Exports the current text')
  })

  test('lists the last five versions with their authors', async () => {
    const { account, id, page } = await ownerOfBook()
    for (let n = 0; n < 6; n++)
      await putItemPage(await contextOf(server, account), { id, pageNum: 2, content: `# Whales\n\n${n}\n` })
    const versions = section(await page(), 'versions')
    expect(hrefs(versions)).toEqual([...[7, 6, 5, 4, 3].map((v) => `/books/${id}?v=${v}`), `/books/${id}/versions`])
    expect(versions).toContain(account.name)
    expect(versions).toContain(`The text was changed by <bdi>${account.name}</bdi>.`)
    expect(versions).not.toContain('changed.')
  })

  test.for([
    ['with pages that are pictures', { sourceType: 'pdf', health: 'partial' }, 'Incomplete', '/add'],
    ['whose details were guessed', { health: 'needs_confirmation' }, 'Complete', '/details'],
  ] as const)('explains that a book is %s, with the next step', async ([, fields, short, link]) => {
    const { browser, account } = await signedInPerson(server)
    const [id] = await seedBooks(server, account, { count: 1, book: () => ({ ...fields, healthReason: null }) })
    const { status, text } = await browser.get(`/books/${id}`)
    expect(status).toBe(200)
    expect(text).toContain(`<dd>${short}</dd>`)
    expect(/<p class="notice">[\s\S]*?<\/p>/.exec(text)?.[0]).toContain(`${link}">`)
    expect(text).not.toContain('Read from page 1')
  })
})

test('describes a book without text to its owner, without a read', async () => {
  const { browser, account } = await signedInPerson(server)
  const ctx = await contextOf(server, account)
  const { itemId: id } = await startUpload(ctx, { filename: 'a.pdf', size: 9, contentType: 'application/pdf' })
  const { status, text } = await browser.get(`/books/${id}`)
  expect(status).toBe(200)
  expect(text).toContain('<dd>Waiting for its file</dd>')
  expect(/<p class="notice">[\s\S]*?<\/p>/.exec(text)?.[0]).toContain('href="/add"')
  expect(text).not.toContain('Read from page 1')
  expect(await readsUsed(server, account)).toBe(0)
})

test('the advice on an empty Markdown book does not repeat itself in words for programs', () => {
  const healthReason = 'No text. Append pages to it.'
  const { advice } = textAdvice({ id: 'b', status: 'READY', health: 'empty', sourceType: 'markdown', healthReason })
  expect(advice).toBe('This book has no text yet.')
})

test.for([
  [{ status: 'PROCESSING' }, 'Being read', '/imports'],
  [{ status: 'FAILED', health: 'failed', healthReason: 'It is damaged.' }, 'Import failed', '/imports'],
  [{ health: 'unreadable' }, 'Not readable', '/add'],
  [{ health: 'empty', sourceType: 'markdown' }, 'None yet', undefined],
  [{ status: 'PROCESSING', health: 'stuck', healthReason: 'No progress.' }, 'Import stuck', '/imports'],
  [{ healthReason: 'The figures were left out.' }, 'Complete', undefined],
] as const)('gives advice on the text, %o', ([fields, short, link]) => {
  const book = { id: 'b', status: 'READY', health: 'ok', healthReason: null, sourceType: 'pdf', ...fields } as const
  const { advice, ...words } = textAdvice(book)
  expect([words.short, words.link?.[0]]).toEqual([short, link])
  expect(advice).toContain(book.healthReason ?? ' ')
})

test('the only page of a scan is spoken of as one', () => {
  const healthReason = `The file contains page images; ${ocrAdvice({ state: 'pending', done: 0, total: 1 })}.`
  const { advice } = textAdvice({ id: 'b', status: 'READY', health: 'empty', healthReason, sourceType: 'pdf' })
  expect(advice).toMatch(/^The text of its scanned page is being recognised \(OCR\)\. You need not do anything/)
})

test.for(['empty', 'partial', 'unreadable'] as const)(
  'a scan whose text is %s while it is recognised needs no other file',
  async (health) => {
    const healthReason = `The file contains page images; ${ocrAdvice({ state: 'pending', done: 1, total: 8 })}.`
    const { browser, account } = await signedInPerson(server)
    const book = () => ({ sourceType: 'pdf' as const, health, healthReason, pageCount: 8 })
    const [id] = await seedBooks(server, account, { count: 1, book })
    const { text } = await browser.get(`/books/${id}`)
    expect(text).toContain('<dd>Being recognised</dd>')
    const notice = /<p class="notice">[\s\S]*?<\/p>/.exec(text)?.[0]
    expect(notice).toContain('The text of 8 scanned pages is being recognised (OCR); 1 of them is done.')
    expect(notice).not.toMatch(/<a |upload/)
    expect((await browser.get('/library')).text).toContain('<li class="badge ">Text being recognised</li>')
  },
)

describe('shelves', () => {
  test('a user puts the book on a new shelf, and takes it off', async () => {
    const { page, submit, path } = await ownerOfBook()
    const answer = await submit('shelves', { newShelf: 'At <sea>' })
    expect([answer.status, answer.location]).toEqual([303, `${path}?done=shelves#done`])
    const shelved = await page('?done=shelves')
    expect(shelved).toContain('<p class="notice" id="done" role="status">Shelves saved.</p>')
    expect(section(shelved, 'shelves')).toMatch(/class="chip"[^>]*>At &lt;sea&gt;</)
    const [, shelf = ''] = /name="shelf"\s+value="([^"]+)"\s+checked/.exec(shelved) ?? []
    expect((await submit('shelves', { shelf })).status).toBe(303)
    expect(section(await page(), 'shelves')).toContain('class="chip"')
    await submit('shelves')
    expect(section(await page(), 'shelves')).toContain('Not on any shelf yet')
  })

  test('a refused name stays in the form', async () => {
    const { submit } = await ownerOfBook()
    await submit('shelves', { newShelf: 'Sea' })
    const { status, text } = await submit('shelves', { newShelf: 'Sea' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toContain('role="alert"')
    expect(text).toMatch(/id="newShelf"[^>]*value="Sea"/)
  })
})

test('a user shares a book with a team, and stops sharing it', async () => {
  const { account, id, page, submit } = await ownerOfBook()
  expect(section(await page(), 'sharing')).toContain('Create or join a team')
  const boss = await server.createPerson()
  const desk = createTeamClient(server)
  const team = await desk.createTeam(boss, 'Sailors')
  await desk.addMember(team, account, 'ADMIN')
  expect(section(await page(), 'sharing')).toContain('Not shared with any team')
  expect((await submit('share', { team, level: 'WRITE' })).location).toBe(`/books/${id}?done=share#done`)
  expect(section(await page(), 'sharing')).toMatch(/Sailors[\s\S]*The whole team[\s\S]*read and change it/)
  expect(section(await page(), 'sharing')).toMatch(/<a href="\/teams\/[^"]+"><bdi>Sailors</)
  await submit('unshare')
  expect(section(await page(), 'sharing')).toContain('Not shared with any team')
})

test('leaders share a book with a department; plain members only with the whole team', async () => {
  const { account, page, submit } = await ownerOfBook()
  const boss = await server.createPerson()
  const desk = createTeamClient(server)
  const [led, joined] = [await desk.createTeam(boss, 'Sailors'), await desk.createTeam(boss, 'Divers')]
  await desk.addMember(led, account, 'ADMIN')
  await desk.addMember(joined, account)
  for (const team of [led, joined]) await desk.createDepartment(team, boss, 'Knots & Ropes')
  const options = section(await page(), 'sharing').match(/<option[^>]*>[^<]*/g) ?? []
  expect(options.map((option) => option.replace(/.*>/, ''))).toEqual([
    'Divers',
    'Sailors: the whole team',
    'Sailors: Knots &amp; Ropes',
  ])
  await submit('share', { team: `${led}/knots-ropes`, level: 'READ' })
  expect(section(await page(), 'sharing')).toMatch(/Sailors[\s\S]*Knots &amp; Ropes<\/bdi> can read it/)
  expect((await submit('share', { team: `${joined}/knots-ropes`, level: 'READ' })).status).toBe(403)
})

test('a user marks reader requests as done, dismisses them and reopens them', async () => {
  const { account, id, page, submit } = await ownerOfBook()
  const { gaps } = server.running.opened.services
  const report = async (topic: string) => {
    const reader = await server.createPerson()
    const fixed = { aboutSection: null, suggestedTitle: null, suggestedAuthor: null, itemTitle: null, fulfilment: null }
    const asked = {
      itemId: id,
      ownerId: account.id,
      readerId: reader.id,
      topic,
      subcategory: topic,
      category: 'other' as const,
    }
    const gapId = await gaps.add(
      { id: `${id}${topic}`, ...asked, ...fixed, intent: `About <${topic}>?`, status: 'OPEN', reportedAt: new Date() },
      new Date(0),
    )
    await gaps.confirmReport(account.id, { id: gapId ?? '', itemId: id, topic })
  }
  await report('knots')
  const asked = section(await page(), 'requests')
  expect(asked).toContain('About &lt;knots&gt;?')
  expect(asked).toContain('1 reader,')
  const form = /<form[\s\S]*?<\/form>/g
  const fieldsOf = (source: string, act: string) => {
    const chosen = (source.match(form) ?? []).find((each) => each.includes(`value="${act}"`)) ?? ''
    return Object.fromEntries(
      [...chosen.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
  }
  expect((await submit('requests', fieldsOf(asked, 'dismiss') as Fields)).location).toContain('done=requests-dismiss')
  const dismissed = section(await page(), 'requests')
  expect(dismissed).toContain('No open requests')
  expect(dismissed).toContain('Dismissed (1)')
  await submit('requests', fieldsOf(dismissed, 'restore') as Fields)
  const restored = section(await page(), 'requests')
  expect(restored).not.toContain('Dismissed (1)')
  await submit('requests', fieldsOf(restored, 'done') as Fields)
  expect(section(await page(), 'requests')).not.toContain('knots')
})

test('a reader tells the owner of a book what it lacks, without a name', async () => {
  const { account, browser, id, path, page } = await ownerOfBook()
  expect(section(await page(), 'missing')).toBe('')
  const reader = await signedInPerson(server)
  const desk = createTeamClient(server)
  const team = await desk.createTeam(await server.createPerson())
  for (const member of [account, reader.account]) await desk.addMember(team, member)
  const share = { teamId: team, itemId: id, ownerId: account.id, departments: [], sharedBy: account.id }
  await server.running.opened.services.shares.add({ ...share, accessLevel: 'READ', sharedAt: new Date(0) })
  expect(section((await reader.browser.get(path)).text, 'missing')).toContain('name="intent"')
  const found = section((await reader.browser.get(`${path}/find?q=red+zebras`)).text, 'missing')
  expect(found).toContain(`action="${path}/missing"`)
  expect(found).toContain('value="red zebras"')
  expect((await reader.browser.get(`${path}/find?q=whale`)).text).not.toContain('id="missing"')
  expect(section(await page('/find?q=zebras'), 'missing')).toBe('')
  const topic = { subcategory: 'Lighthouses', intent: 'Which <lamps> do they use?' }
  const blank = await reader.browser.submit(path, `${path}/missing`, { ...topic, subcategory: ' ' })
  expect([blank.status, section(blank.text, 'missing').includes('Which &lt;lamps&gt; do they use?')]).toEqual([
    400,
    true,
  ])
  const sent = await reader.browser.submit(path, `${path}/missing`, { ...topic, aboutSection: '' })
  expect(sent).toMatchObject({ status: 303, location: `${path}?done=missing#done` })
  expect((await reader.browser.get(`${path}?done=missing`)).text).toContain('Sent, without your name.')
  const badge = '<li class="badge ">1 request by readers</li>'
  expect((await browser.get('/library')).text).toContain(badge)
  expect((await reader.browser.get('/library')).text).not.toContain('request by readers')
  const { gaps } = server.running.opened.services
  expect(await gaps.openTopics(account.id, [id])).toMatchObject([{ itemId: id, subcategory: 'Lighthouses' }])
  expect(await gaps.openTopics(account.id, ['another'])).toEqual([])
  const asked = section(await page(), 'requests')
  for (const words of ['Lighthouses', 'Which &lt;lamps&gt; do they use?', '1 reader,']) expect(asked).toContain(words)
  expect(asked).not.toContain(reader.account.name)
  await server.running.opened.services.webSessions.endAll(reader.account.id)
  const ended = await reader.browser.post(`${path}/missing`, { csrf: '', ...topic })
  expect(ended.status).toBe(401)
  expect(ended.text).toContain('Which &lt;lamps&gt; do they use?')
})

describe('the marketplace', () => {
  test('a user publishes and withdraws a book', async () => {
    const { page, submit, id, browser } = await ownerOfBook()
    const answer = await submit('publish', { category: 'science', tags: 'sea, ships', proOnly: 'on' })
    expect(answer.location).toBe(`/books/${id}?done=publish#done`)
    expect(section(await page(), 'marketplace')).toMatch(
      /Published[\s\S]*0 readers have added it[\s\S]*Only readers with a Pro plan/,
    )
    const inDiscover = /<a href="(\/discover\?q=[^"#]*)#(listing-\w+)">/.exec(section(await page(), 'marketplace'))
    expect((await browser.get(inDiscover?.[1] ?? '')).text).toContain(`id="${inDiscover?.[2]}"`)
    await submit('withdraw')
    const withdrawn = section(await page(), 'marketplace')
    expect(withdrawn).toContain('Withdrawn. You can publish it again.')
    // Published again as it was, the book is still for Pro plans only.
    expect(withdrawn).toMatch(/name="proOnly"\s+value="on"\s+checked/)
  })

  test('a user changes the category, the tags and the plan of a published book, and finds them again', async () => {
    const { page, submit, id } = await ownerOfBook()
    await submit('publish', {})
    expect(section(await page(), 'marketplace')).toContain('It has no category and no tags')
    const changed = await submit('listing', { category: 'science', tags: 'sea, ships', proOnly: 'on' })
    expect(changed.location).toBe(`/books/${id}?done=listing#done`)
    const listed = async () => section(await page(), 'marketplace')
    expect(await listed()).toMatch(/<bdi>Science, sea, ships<\/bdi>/)
    expect(await listed()).toContain('Only readers with a Pro plan can read it in full; others')
    const tags = Array.from({ length: 11 }, (_, n) => `tag${n}`).join(', ')
    const refused = await submit('listing', { category: 'history', tags })
    expect([refused.status, refused.text.includes(tags)]).toEqual([400, true])
  })

  test('refused terms stay in the form', async () => {
    const { submit } = await ownerOfBook()
    const tags = Array.from({ length: 11 }, (_, n) => `tag${n}`).join(', ')
    const { status, text } = await submit('publish', { category: 'history', tags })
    expect(status).toBe(400)
    expect(text).toContain('A listing has 10 tags at most')
    expect(text).toContain(tags)
    expect(text).toContain('<option value="history" selected')
  })
})

describe('details', () => {
  const details = {
    title: 'Ships & Whales',
    author: '',
    description: 'New <b>words</b>',
    sampleQuestion: 'What sails?',
    outcomes: 'One\r\n\r\nTwo',
    toc: '1 Ships\r\n  2 Whales\r\n3 Birds',
  }

  test('a user edits all metadata', async () => {
    const { browser, account, id, path } = await ownerOfBook()
    await set(account, id, { author: 'Somebody', health: 'needs_confirmation' })
    const fields = { ...details, prompt: 'Compare the ships', promptContext: 'For sailors' }
    const answer = await browser.submit(`${path}/details`, `${path}/details`, fields)
    expect([answer.status, answer.location]).toEqual([303, `${path}?done=details`])
    const [book] = await server.running.opened.services.books.byIds([id])
    expect(book).toMatchObject({
      title: 'Ships & Whales',
      author: null,
      description: 'New <b>words</b>',
      sampleQuestion: 'What sails?',
      outcomes: ['One', 'Two'],
      prompts: [{ prompt: 'Compare the ships', context: 'For sailors' }],
      health: 'ok',
      needsEnrichment: false,
    })
    const contents = section((await browser.get(path)).text, 'contents')
    expect(hrefs(contents).map((href) => href?.match(/pages\/(\d+)/)?.[1])).toEqual(['1', '2', '3'])
    expect(contents).toMatch(/<summary>\s*1 section/)
    expect((await browser.get(`${path}/details`)).text).toContain('1 Ships\n  2 Whales\n3 Birds')
  })

  test.for([
    ['a title from the name of the file', { title: 'scan 017' }, 'Ships &amp; sails'],
    ['a title that the file declares', { title: 'On ships' }, 'On ships'],
    ['a title that the owner has confirmed', { title: 'scan 017', metadataConfirmedAt: new Date() }, 'scan 017'],
  ] as const)('in place of %s propose %j', async ([, fields, title]) => {
    const { browser, account, id, path } = await ownerOfBook({ content: '# *Ships* & sails\n\nA.' })
    const original = { storageKey: 'k', filename: 'scan_017.pdf', bytes: 9, sha256: null }
    await set(account, id, { metadataConfirmedAt: null, original, ...fields })
    const { text } = await browser.get(`${path}/details`)
    expect(/<input\s+id="title"[^>]*value="([^"]*)"/.exec(text)?.[1]).toBe(title)
    expect(text.includes('The current title is')).toBe(title !== fields.title)
    expect(await readsUsed(server, account)).toBe(0)
    await set(account, id, { original: null })
  })

  test('an unchanged table of contents does not count as set by hand', async () => {
    const { browser, id, path } = await ownerOfBook()
    const { toc: _, ...others } = details
    const toc = '1 Ships\r\n  1 Deep\r\n2 Whales\r\n3 Birds'
    await browser.submit(`${path}/details`, `${path}/details`, { ...others, toc })
    expect((await server.running.opened.services.books.byIds([id]))[0]?.tocId).toBeNull()
  })

  test.for([
    ['no title', { title: ' ' }, /id="title-problem">Title must not be blank</],
    ['a long title', { title: 'x'.repeat(201) }, /at most 200/],
    ['a line of contents without a page', { toc: '1 Ships\nWhales' }, /Line 2 of the contents/],
    ['a page beyond the book', { toc: '9 Ships' }, /page 9 is beyond the book/],
    ['seven outcomes', { outcomes: '1\n2\n3\n4\n5\n6\n7' }, /outcomes|6/],
  ] as const)('%s is refused at its field, and the typed text is kept', async ([, wrong, message]) => {
    const { browser, path } = await ownerOfBook()
    const { status, text } = await browser.submit(`${path}/details`, `${path}/details`, { ...details, ...wrong })
    expect(status).toBe(400)
    expect(text).toMatch(message)
    expect(text).toContain('aria-invalid="true"')
    expect(text).toContain('New &lt;b&gt;words&lt;/b&gt;')
  })
})

describe('reads by agents', () => {
  test('without reads, the page links to connecting an assistant', async () => {
    const { page } = await ownerOfBook()
    expect(section(await page(), 'reads')).toContain('href="/connect"')
  })

  test('marks link to their pages, and a table has the same content', async () => {
    const { account, id, page } = await ownerOfBook()
    await countRead(account, id, { from: 2, to: 3 })
    await countRead(account, id, { from: 3, agent: 'chatgpt' })
    const reads = section(await page(), 'reads')
    expect(reads).toContain('Text was read twice. The most read page is 3, opened twice.')
    expect(hrefs(/<svg[\s\S]*<\/svg>/.exec(reads)?.[0] ?? '')).toEqual(
      [2, 3].map((num) => `/books/${id}/pages/${num}?v=1`),
    )
    expect(hrefs(/<table>[\s\S]*<\/table>/.exec(reads)?.[0] ?? '')).toHaveLength(2)
    expect(reads).not.toContain('style=')
  })

  test('a user selects a program and a week with a form', async () => {
    const { account, id, page } = await ownerOfBook()
    const lastWeek = new Date(Date.now() - 7 * 24 * 3600 * 1000)
    await countRead(account, id, { from: 1 })
    await countRead(account, id, { from: 2, at: lastWeek, agent: 'chatgpt' })
    const all = section(await page(), 'reads')
    expect(all).toContain('<option value="agent:chatgpt" >ChatGPT (1)</option>')
    const chosen = section(await page(`?reader=agent%3Achatgpt&week=${weekOf(lastWeek)}`), 'reads')
    expect(chosen).toContain('<option value="agent:chatgpt" selected>')
    expect(chosen).toContain('Text was read once. The most read page is 2')
    for (const query of ['?week=nonsense', '?reader=nobody'])
      expect(section(await page(query), 'reads')).toContain('No reads match this selection')
  })
})

describe('who may see it', () => {
  test('a stranger learns nothing, whatever they send', async () => {
    const { path, id } = await ownerOfBook()
    const { browser } = await signedInPerson(server)
    const own = await makeBook(server, await signedInPerson(server).then(({ account }) => account))
    const { text } = await browser.get('/account')
    const csrf = /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
    const answers = [
      await browser.get(path),
      await browser.get(`${path}/details`),
      await browser.get(`/books/${own}?v=9`),
    ]
    for (const form of ['shelves', 'requests', 'publish', 'details'])
      answers.push(await browser.post(`${path}/${form}`, { csrf, act: 'done', topic: 'x', title: 'x', shelf: '' }))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    for (const answer of answers) expect(answer.text).not.toContain('&lt;Sea')
    const [book] = await server.running.opened.services.books.byIds([id])
    expect(book?.title).toBe('The <Sea>')
  })

  test("a team with read access sees the book, and nothing of the owner's reader data", async () => {
    const { account, id, path } = await ownerOfBook()
    await countRead(account, id, { from: 2 })
    const boss = await server.createPerson()
    const desk = createTeamClient(server)
    const team = await desk.createTeam(boss)
    const { browser, account: member } = await signedInPerson(server)
    await desk.addMember(team, account, 'ADMIN')
    await desk.addMember(team, member)
    const { services } = server.running.opened
    const share = { teamId: team, itemId: id, ownerId: account.id, departments: [], sharedBy: account.id }
    await services.shares.add({ ...share, accessLevel: 'READ', sharedAt: new Date(0) })
    const { text } = await browser.get(path)
    expect(text).toContain('>The &lt;Sea&gt;</h1>')
    expect(text).toMatch(/<dt>From<\/dt>/)
    for (const heading of ['reads', 'requests', 'sharing', 'marketplace']) expect(section(text, heading)).toBe('')
    expect(text).not.toContain('Edit details')
    expect((await browser.get(`${path}/details`)).status).toBe(403)
    await services.shares.change(team, id, { accessLevel: 'WRITE' })
    expect((await browser.get(path)).text).toContain('Edit details')
    const form = (await browser.get(`${path}/details`)).text
    expect(form).toContain('name="title"')
    expect(form).not.toContain('name="prompt"')
  })
})

describeWith(chromiumNeed)('in a browser', () => {
  let chrome: Browser

  beforeAll(async () => {
    chrome = await launchBrowser()
  })
  afterAll(() => chrome?.close())

  test('a printed book has no buttons, menus and navigation', async () => {
    const { browser, account, path, id } = await ownerOfBook({ content: markdownPages(3) })
    await countRead(account, id, { from: 1, to: 3 })
    const page = await chrome.newPage()
    await page.context().addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
    await page.emulateMedia({ media: 'print' })
    for (const address of [path, `${path}/pages/1`, `${path}/versions`, '/activity', '/library']) {
      await page.goto(`${server.baseUrl}${address}`)
      const controls = page.locator('button, .button, .menu, nav, [role=search]')
      expect(await controls.filter({ visible: true }).allInnerTexts(), address).toEqual([])
      expect(await page.locator('h1').isVisible()).toBe(true)
    }
    await page.close()
  })

  test('nothing is cut off, and there are no accessibility violations', { timeout: 120_000 }, async () => {
    const { browser, account, path, id } = await ownerOfBook({
      title: `Sea ${'of words '.repeat(15)}`,
      content: markdownPages(40),
    })
    await countRead(account, id, { from: 1, to: 3 })
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
    for (const [width, colorScheme] of [
      [320, 'light'],
      [1280, 'dark'],
    ] as const) {
      const page = await chrome.newPage({ viewport: { width, height: 800 }, colorScheme })
      await page
        .context()
        .addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
      for (const address of [path, `${path}/details`]) {
        await page.goto(`${server.baseUrl}${address}`)
        await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true')
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), address).toBeLessThanOrEqual(0)
        await page.evaluate(axe)
        const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
          'axe.run().then(({ violations }) => violations)',
        )
        expect(
          found.map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html}`),
          address,
        ).toEqual([])
      }
      await page.close()
    }
  })
})
