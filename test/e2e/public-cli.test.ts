import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { publishBook } from '../support/marketplace.ts'
import {
  connectToStdio,
  openPublicCli,
  publicCliNeed,
  publicCliVersion,
  type PublicCli,
} from '../support/public-cli.ts'
import { publishedBook } from '../support/gaps.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { smallBooks } from '../support/small-books.ts'
import { describeWith } from '../support/system-needs.ts'
import { waitForJobEnd, unwrap } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { send } from '../support/transports.ts'

const server = useTestServer()

const describeWithCli = describeWith(publicCliNeed)

/** Creates a person with the command line. */
async function person(options: { plan?: string } = {}): Promise<{ cli: PublicCli; me: Person }> {
  const me = await server.createPerson(options)
  return { me, cli: await openPublicCli(server, me.key) }
}

describeWithCli('the public command line signs in', () => {
  test('with a key', async () => {
    const me = await server.createPerson()
    const cli = await openPublicCli(server, null)
    await cli.refuses(['auth', 'whoami'], 'Not authenticated')
    const rejected = await cli.run(['auth', 'login', '--with-token'], 'lectern_wrong\n')
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringMatching(/rejected by the server/) })
    await cli.does(['auth', 'login', '--with-token'], `Logged in as ${me.email} (SELF_HOSTED)`, me.key)
    await cli.does(['auth', 'login', '--with-token'], 'Already logged in', me.key)
    await cli.does(['auth', 'login'], 'Already logged in')
    await cli.does(['auth', 'whoami'], [me.email, me.id, '0 / 1000000'])
    expect(await cli.json(['auth', 'whoami'])).toMatchObject({ id: me.id, tier: 'SELF_HOSTED', itemLimit: 1_000_000 })
    await cli.does(['auth', 'logout'], 'Logged out')
    await cli.does(['auth', 'logout'], 'Not currently logged in')
  })

  test('in the browser', async () => {
    const { browser, email } = await signedInPerson(server)
    const cli = await openPublicCli(server, null)
    const login = cli.start(['auth', 'login'])
    let told = ''
    let page: string | undefined
    for await (const chunk of login.stdout ?? []) {
      told += chunk
      page ??= /visit: .*(\/cli-auth\?port=\d+)/.exec(told)?.[1]
      if (!page || !told.includes('Waiting')) continue
      if (told.includes('Logged in')) break
      if (!told.includes('Validating')) {
        const { headers } = await browser.submit(page, '/cli-auth', {})
        // The answer of the command line to the browser ends lines with LF only. Browsers accept that, this client does
        // not.
        await fetch(headers.get('location') ?? '').catch(() => undefined)
      }
    }
    expect(told).toContain(`Logged in as ${email}`)
    await cli.does(['auth', 'whoami'], email)
  })
})

describeWithCli('the public command line manages books', () => {
  test('that are written here', async () => {
    const { cli } = await person()
    await cli.does(['items', 'list'], 'No items found')
    await cli.does(
      ['items', 'create', 'Soap', '--description', 'About soap', '--content', markdownPages(3)],
      ['Created: Soap', 'Pages: 3'],
    )
    const { id } = await cli.json(['items', 'create', 'Knots', '-d', 'About knots', '-c', markdownPages(2)])
    await cli.does(['items', 'list'], ['Soap', 'Knots', '2 items', id])
    const listed = await cli.json(['items', 'list'])
    expect(listed).toMatchObject({ items: [{ title: 'Knots', pageCount: 2 }, { title: 'Soap' }], enrichmentQueue: [] })
    await cli.does(['items', 'toc', id], [/Page 1.*p\. 1/, /Page 2.*p\. 2/])
    expect(await cli.json(['items', 'toc', `${id},nothing`])).toMatchObject({ items: [{ id }], not_found: ['nothing'] })
    await cli.does(['items', 'read', `${id}:2`], ['── Page 2 ──', 'text 2'])
    await cli.does(
      ['items', 'read', `${id}:ALL,${listed.items[1].id}:1-2,nothing:all`],
      ['text 2', 'Items not found: nothing'],
    )
    expect(await cli.json(['items', 'read', `${id}:1-2`])).toMatchObject({ items: [{ id, pages: [{}, {}] }] })
    await cli.does(
      ['items', 'put', id, '--file', await cli.file('new.md', '# One\n\nnew\n')],
      ['Updated: Knots', 'Version: 2', 'Pages: 1'],
    )
    await cli.does(['items', 'read', `${id}:all`], [/Updated since your last read: \S+/, 'new'])
    await cli.does(['items', 'read', `${id}:all`], /^(?![^]*Updated since)/)
    await cli.does(['items', 'put', id], 'Version: 3', '# Piped\n\ntext\n')
    await cli.does(
      ['items', 'append', id, '-f', await cli.file('more.md', '# Two\n\nmore\n')],
      ['Appended: Knots', 'Version: 4', 'Pages: 2'],
    )
    await cli.does(['items', 'append', id, '--prepend'], ['Prepended: Knots', 'Pages: 3'], '# Zero\n')
    const whole = await cli.run(['items', 'get', id])
    expect(whole).toMatchObject({ code: 0, stdout: '# Zero\n# Piped\n\ntext\n# Two\n\nmore\n' })
    await cli.refuses(['items', 'get', 'nothing'], 'Not found: Item not found')
    await cli.does(['items', 'remove', id], ['This will delete 1', 'Cancelled'], 'n\n')
    await cli.does(['items', 'remove', `${id},nothing`], [`Deleted 1 item(s): ${id}`, 'Not found: nothing'], 'y\n')
    await cli.does(['items', 'remove', listed.items[1].id, '--yes'], 'Deleted 1 item(s)')
  })

  test('and completes what is known of them', async () => {
    const { cli, me } = await person()
    const id = await makeBook(server, me, { content: markdownPages(3) })
    await cli.does(['items', 'flag', id], 'Flagged for enrichment: A Book')
    await cli.does(['items', 'list'], 'Enrichment Queue')
    const toc = JSON.stringify([
      { title: 'Start', page: 1, level: 1 },
      { title: 'End', page: 3 },
    ])
    const prompt = JSON.stringify({ prompt: 'Explain it', context: 'briefly', multiBook: false })
    const words = ['--title', 'Better', '--author', 'Ada', '--description', 'Told well', '--sample-question', 'Why?']
    const data = ['--confidence', '0.9', '--toc', toc, '--add-prompt', prompt]
    await cli.does(
      ['items', 'enrich', id, ...words, ...data],
      ['Enriched: Better', 'Author: Ada', 'Told well', 'TOC: 2 entries', 'prompt added', 'Why?', 'Confidence: 90.0%'],
    )
    expect(await cli.json(['items', 'toc', id])).toMatchObject({
      items: [
        {
          toc: [
            { title: 'Start', level: 1 },
            { title: 'End', page: 3, level: 1 },
          ],
        },
      ],
    })
    await cli.refuses(['items', 'enrich', id, '--toc', '[{"title":"Far","page":9}]'], 'Bad request')
  })

  test('that are uploaded, replaced and imported again', { timeout: 120_000 }, async () => {
    const { cli, me } = await person()
    for (const [name, type] of [
      ['one.pdf', 'pdf'],
      ['two.epub', 'epub'],
      ['three.md', 'markdown'],
    ] as const) {
      const file = await cli.file(name, await smallBooks[type]())
      await cli.does(
        ['items', 'add', file],
        [`Uploading: ${name}`, 'Added:', /Processing job created: \w+ \(PENDING\)/],
      )
    }
    await jobsEnd(me)
    const titles = async () => (await cli.json(['items', 'list'])).items.map(({ title }: { title: string }) => title)
    expect(await titles()).toHaveLength(3)
    const again = await cli.file('three.md', '# Again\n\nOther words.\n')
    await cli.does(['items', 'add', again], ['looks like a book already', 'adding as a new copy', 'Added:'])
    await cli.does(['items', 'add', again, '--force'], /^(?![^]*looks like)[^]*Added:/)
    await jobsEnd(me)
    await cli.does(['items', 'add', again, '--replace'], ['Replaced the existing copy', 'Added:'])
    await jobsEnd(me)
    expect(await titles()).toHaveLength(5)
    const { items } = await cli.json(['items', 'list'])
    const pdf = items.find(({ sourceType }: { sourceType: string }) => sourceType === 'pdf')
    await cli.does(['items', 'reprocess', pdf.id], 'Re-import queued')
    await jobsEnd(me)
    await cli.does(['items', 'read', `${pdf.id}:1`], 'whales')
    await cli.refuses(['items', 'reprocess', await makeBook(server, me)], 'Bad request')
  })

  test('within the limits of the plan', async () => {
    const { cli, me } = await person({ plan: 'FREE' })
    for (let count = 0; count < 20; count++) await makeBook(server, me)
    await cli.refuses(
      ['items', 'create', 'One more'],
      ['Your library is full (20/20 items)', `${server.baseUrl}/billing`],
    )
    const billing = await fetch(`${server.baseUrl}/billing`)
    expect([billing.status, billing.url]).toEqual([200, `${server.baseUrl}/plans`])
  })
})

/** Waits until all imports of a person have ended. */
async function jobsEnd({ key }: Person): Promise<void> {
  const { jobs } = unwrap<{ jobs: { id: string }[] }>(await send(server, key, { method: 'GET', path: '/api/v1/jobs' }))
  for (const { id } of jobs) await waitForJobEnd(server, { key }, id)
}

describeWithCli('the public command line handles gaps', () => {
  test('from readers to the author and back', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 1, title: 'Whales' })
    const reader = await openPublicCli(server, (readers[0] as Person).key)
    const writer = await openPublicCli(server, author.key)
    await writer.does(['items', 'gaps'], 'No reader requests across your books')
    await writer.does(['items', 'gaps', itemId], 'No reader requests for this book')
    const report = ['--intent', 'How whales sleep', '--category', 'science', '--subcategory', 'Sleep']
    await reader.does(['items', 'report-gap', '--item', itemId, ...report, '--section', 'Page 2'], 'request submitted')
    await reader.does(['librarian', 'report-gap', ...report], 'Gap reported')
    await reader.does(
      ['librarian', 'report-gap', ...report, '--suggested-title', 'Sleep', '--suggested-author', 'A'],
      ['Gap reported'],
    )
    await writer.does(['items', 'gaps'], ['Whales', '1 open request', 'Sleep'])
    await writer.does(['items', 'gaps', itemId], ['Sleep', '[OPEN]', '1 reader', 'How whales sleep'])
    expect(await writer.json(['items', 'gaps'])).toMatchObject([{ itemId, openCount: 1 }])
    expect(await writer.json(['items', 'gaps', itemId])).toMatchObject([{ subcategory: 'Sleep', reporterCount: 1 }])
    await writer.does(['items', 'resolve-gap', itemId, '--subcategory', 'Sleep'], 'notified 1 reader(s)')
    await reader.does(['config', 'set', 'skill.planMode', 'smart'], 'Set skill.planMode = smart')
    const told = await toldInBackground((readers[0] as Person).key)
    expect(told).toMatch(/A book you requested[^]*"Whales" has what you asked for/)
    expect(told).toContain('{"planMode":"smart"}')
    expect(await toldInBackground((readers[0] as Person).key)).not.toMatch(/A book you requested/)
  })
})

/** Returns the notice about news that `ck` prints after a command, at most every two hours. */
async function toldInBackground(key: string): Promise<string> {
  const cli = await openPublicCli(server, null, {})
  const now = Math.floor(Date.now() / 1000)
  const keep = (name: string, content: object) =>
    writeFile(join(cli.home, '.candlekeep', name), JSON.stringify(content))
  await mkdir(join(cli.home, '.candlekeep'))
  await writeFile(join(cli.home, '.candlekeep/config.toml'), `[auth]\napi_key = "${key}"\n`)
  // With this file, the command does not request the newest release.
  await keep('update-cache.json', { latest_version: publicCliVersion, checked_at: now })
  await keep('agents.json', { version: 1, skill_version: '1', agents: {}, last_update_check: now })
  const { stderr } = await cli.run(['auth', 'whoami'])
  return `${stderr}${await readFile(join(cli.home, '.candlekeep/skill-config.json'), 'utf8')}`
}

describeWithCli('the public command line keeps shelves', () => {
  test('with books on them', async () => {
    const { cli, me } = await person()
    const [soap, knots] = [
      await makeBook(server, me, { title: 'Soap' }),
      await makeBook(server, me, { title: 'Knots' }),
    ]
    await cli.does(['shelf', 'list'], 'No shelves yet')
    await cli.does(['shelf', 'current'], 'No active shelf')
    await cli.does(['shelf', 'create', 'To Read'], ['Created shelf', 'slug: to-read'])
    expect(await cli.json(['shelf', 'create', 'Craft', '--color', '#5B7CFA'])).toMatchObject({ color: '#5B7CFA' })
    await cli.refuses(['shelf', 'create', 'craft'], 'Conflict: A shelf with this name already exists')
    await cli.does(['shelf', 'add', 'to read', soap, knots], "Added 2 items to 'To Read'")
    expect(await cli.json(['shelf', 'add', 'craft', soap, 'nothing'])).toEqual({ added: [soap], notFound: ['nothing'] })
    await cli.does(['shelf', 'add', 'craft', soap], "Added 0 items to 'Craft'")
    await cli.does(['shelf', 'add', 'craft', knots, 'nothing'], ['Added 1 item to', '1 item not found: nothing'])
    await cli.does(['shelf', 'list'], ['To Read', 'craft', '#5B7CFA', '2 shelves'])
    expect(await cli.json(['shelf', 'list'])).toMatchObject({ shelves: [{ slug: 'to-read', itemCount: 2 }, {}] })
    await cli.does(['shelf', 'show', 'craft'], ['Craft (craft) · 2 items', 'Soap', 'Knots'])
    expect(await cli.json(['shelf', 'show', 'Craft'])).toMatchObject({ shelf: { slug: 'craft' }, items: [{}, {}] })
    await cli.does(['items', 'list', '--shelf', 'craft'], ['Soap', '2 items'])
    await cli.does(['shelf', 'use', 'craft'], "Now using shelf 'Craft'")
    await cli.does(['shelf', 'current'], 'Craft (craft)')
    await cli.does(['shelf', 'rename', 'craft', 'Handicraft'], "Renamed 'Craft' → 'Handicraft' (slug: handicraft)")
    expect(await cli.json(['shelf', 'current'])).toMatchObject({ shelf: { slug: 'handicraft' } })
    expect(await cli.json(['shelf', 'rename', 'handicraft', 'Crafts'])).toMatchObject({ slug: 'crafts' })
    await cli.does(['shelf', 'remove', 'crafts', soap], "Removed 1 item from 'Crafts'")
    expect(await cli.json(['shelf', 'remove', 'crafts', soap])).toEqual({ removed: 0 })
    await cli.refuses(['shelf', 'delete', 'crafts'], 'Re-run with --confirm')
    await cli.does(['shelf', 'delete', 'crafts', '--confirm'], 'Deleted shelf')
    await cli.does(['shelf', 'current'], 'No active shelf')
    expect(await cli.json(['shelf', 'use', 'to-read'])).toMatchObject({ active: 'to-read' })
    await cli.does(['shelf', 'use', '--clear'], 'Active shelf cleared')
    await cli.json(['shelf', 'delete', 'to-read', '--confirm'])
    await cli.refuses(['shelf', 'show', 'to-read'], 'not found')
  })
})

describeWithCli('the public command line keeps manuscripts', () => {
  test('of new books and of books that exist', async () => {
    const { cli, me } = await person()
    await cli.does(['ms', 'list'], 'No manuscripts found')
    const terms = ['--topics', 'soap, lye', '--audience', 'beginners', '--criteria', 'tested,short']
    await cli.does(
      [
        'ms',
        'create',
        'Soap notes',
        '--description',
        'All of it',
        ...terms,
        '--instructions',
        'Be brief',
        '--auto-update',
      ],
      ['Created manuscript: Soap notes', 'Book: '],
    )
    const book = await makeBook(server, me)
    const { manuscript } = await cli.json(['ms', 'create', 'Knots', '--item-id', book])
    expect(manuscript).toMatchObject({ title: 'Knots', itemId: book, status: 'ACTIVE' })
    await cli.refuses(
      ['ms', 'create', 'Again', '--item-id', book],
      ['An active manuscript already exists on this book', `ck ms archive ${manuscript.id}`],
    )
    await cli.does(['ms', 'list'], ['Manuscripts (2 active)', '[LLM wiki]', 'Topics: soap, lye'])
    await cli.does(['ms', 'show', manuscript.id], ['Knots', 'Auto-update: off'])
    await cli.does(['ms', 'show', book], 'Knots')
    await cli.does(['ms', 'update', manuscript.id, '--title', 'Ropes', '--description', 'd', ...terms], 'Ropes')
    await cli.does(['ms', 'update', manuscript.id, '--instructions', 'Tie', '--auto-update'], 'Updated manuscript')
    expect(await cli.json(['ms', 'show', manuscript.id])).toMatchObject({
      title: 'Ropes',
      topics: ['soap', 'lye'],
      criteria: ['tested', 'short'],
      audience: 'beginners',
      instructions: 'Tie',
      autoUpdate: true,
    })
    await cli.does(['ms', 'update', manuscript.id, '--no-auto-update', '--pause'], 'Status: PAUSED')
    expect((await cli.json(['ms', 'list', '--active'])).manuscripts).toHaveLength(1)
    await cli.does(['ms', 'update', manuscript.id, '--resume'], 'Status: ACTIVE')
    await cli.does(['ms', 'archive', manuscript.id], 'Archived manuscript')
    await cli.does(['ms', 'create', 'Anew', '--item-id', book], 'Created manuscript: Anew')
    await cli.refuses(['ms', 'show', 'nothing'], 'Manuscript not found')
  })

  test('and names a page of plans that exists when all slots are taken', async () => {
    const { cli } = await person({ plan: 'FREE' })
    await cli.does(['ms', 'create', 'One'], 'Created manuscript: One')
    const { code, stderr } = await cli.run(['ms', 'create', 'Two'])
    expect(code).toBe(1)
    const address = /→ (\S+)/.exec(stderr)?.[1] ?? ''
    const page = await fetch(address)
    expect([page.status, page.url]).toEqual([200, `${server.baseUrl}/plans`])
  })
})

describeWithCli('the public command line', () => {
  test('browses the marketplace and adds books', async () => {
    const { cli } = await person()
    const author = await server.createPerson()
    const terms = { category: 'science', tags: ['whales'] }
    const { listingId, itemId } = await publishBook(server, author, { title: 'Deep Sea', terms })
    await cli.does(
      ['marketplace', 'browse', '--search', 'deep', '--limit', '5', '--sort', 'az', '--tag', 'whales'],
      ['Deep Sea', listingId, '1 listing'],
    )
    for (const sort of ['newest', 'popular']) await cli.does(['marketplace', 'browse', '--sort', sort], 'Deep Sea')
    expect(await cli.json(['marketplace', 'browse', '-s', 'deep'])).toMatchObject({ listings: [{ id: listingId }] })
    await cli.does(['marketplace', 'subscribe', listingId], ['Subscribed to listing', itemId])
    await cli.refuses(['marketplace', 'subscribe', listingId], 'Conflict: Already subscribed')
    await cli.does(['items', 'read', `${itemId}:1`], 'text 1')
    await cli.does(['marketplace', 'unsubscribe', listingId], 'Unsubscribed from listing')
    await cli.refuses(['marketplace', 'unsubscribe', listingId], 'Not found')
    expect(await cli.json(['marketplace', 'subscribe', listingId])).toEqual({ success: true, itemId })
  })

  test('groups reads in sessions', async () => {
    const { cli, me } = await person()
    const id = await makeBook(server, me, { content: markdownPages(2) })
    await cli.does(['access', 'complete'], 'No active session')
    await cli.does(['access', 'start', '--intent', 'soap making'], /Session started: \w+/)
    await cli.does(['items', 'read', `${id}:1`], 'text 1')
    await cli.does(['items', 'read', `${id}:2`, '--no-session'], 'text 2')
    await cli.does(['access', 'complete'], /Session completed: \w+/)
    const started = await cli.json(['access', 'start'])
    await cli.does(['items', 'toc', id, '--session', started.sessionId], 'Page 1')
    expect(await cli.json(['access', 'complete'])).toEqual({ sessionId: started.sessionId, status: 'completed' })
    const { body } = await send(server, me.key, { method: 'GET', path: '/api/v1/reports/value' })
    expect(body.sessions.sessions).toMatchObject([{ outcome: 'toc-only' }, { intent: 'soap making', pagesRead: 1 }])
  })

  test('changes settings and sends reports', async () => {
    const { cli } = await person()
    await cli.does(['config', 'show'], 'skill.planMode = always')
    await cli.does(['config', 'set', 'skill.planMode', 'ask'], 'Set skill.planMode = ask')
    await cli.does(['config', 'get', 'skill.planMode'], 'ask')
    expect(await cli.json(['config', 'show'])).toEqual({ skill: { planMode: 'ask' }, configVersion: 1 })
    await cli.refuses(['config', 'set', 'skill.planMode', 'never'], 'Invalid value')
    const where = `View it at ${server.baseUrl}/support/`
    await cli.does(['report', '--title', 'Broken', '--body', 'It broke', '--type', 'bug'], ['Report posted', where])
    await cli.does(['report', '--title', 'Long', '--body-file', await cli.file('log.md', '# Log')], where)
    await cli.does(['report', '--title', 'Piped', '--body', '-'], where, 'from a pipe')
    expect(await cli.json(['report', '--title', 'A', '--body', 'B'])).toMatchObject({ id: expect.any(String) })
    await cli.refuses(['report', '--title', 'A', '--body', 'B', '--type', 'praise'], 'Bad request')
  })

  test('serves the library over MCP on standard input and output', async () => {
    const { cli, me } = await person()
    const id = await makeBook(server, me, { title: 'Soap', content: markdownPages(3) })
    const client = connectToStdio(cli.start(['mcp', 'serve']))
    await client.request('initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    client.notify('notifications/initialized')
    const call = async (name: string, args: object = {}) =>
      (await client.request('tools/call', { name, arguments: args })).content[0].text
    expect(await call('whoami')).toContain(me.email)
    expect(await call('list_items')).toContain(`**Soap** (${id})`)
    expect(await call('search_items', { query: 'soap' })).toContain('Found 1 item(s)')
    expect(await call('get_table_of_contents', { ids_json: JSON.stringify([id]) })).toContain('Page 3 (p. 3–3)')
    expect(await call('read_items', { items_json: JSON.stringify([{ id, pages: '2' }]) })).toContain('text 2')
  })

  test('reports for these commands that the route does not exist', async () => {
    const { cli } = await person()
    await cli.refuses(['sources', 'list'], 'Not found: No route for GET /api/v1/sources')
    await cli.refuses(['sources', 'delete', 'x', '--yes'], 'Not found: No route for DELETE /api/v1/sources')
    await cli.refuses(['setup'], 'Skills API returned 404')
    await cli.does(['setup', '--status'], 'No agent setup found')
    // In a terminal it shows the offers of the marketplace if the server returns any.
    expect(await cli.run(['welcome'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
