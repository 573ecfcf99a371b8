import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { NewAccount } from '../../src/accounts/create-account.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { quoteWords } from '../../src/mail/quote-words.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { startSmtpServer, type ReceivedMail, type SmtpServer } from '../support/smtp-server.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { rest, send, transports } from '../support/transports.ts'
import { webClient } from '../support/web-client.ts'
import { accountWithPassword, password } from '../support/signed-in-person.ts'

let server: TestServer
let smtp: SmtpServer
let desk: TeamClient
let owner: Person
let team: string

beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'team', LECTERN_SMTP_URL: smtp.url })
  desk = createTeamClient(server)
  owner = await server.createPerson()
  team = await desk.createTeam(owner)
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

const badNames: [what: string, name: string][] = [
  ['two lines', 'Ada\nYour password has expired'],
  ['a carriage return', 'Ada\rBcc: all'],
  ['a tab', 'Ada\tLovelace'],
  ['a control character', 'Ada\u0007'],
  ['an escape sequence', '\u001b[2JAda'],
  ['a line separator', 'Ada\u2028Lovelace'],
  ['a bidirectional override', 'Ada\u202egnp.exe'],
  ['a bidirectional isolate', 'Ada\u2066nimda'],
  ['tag characters', 'Ada\u{e0041}\u{e0042}'],
  ['a zero-width space', 'Ad\u200ba'],
  ['a lone surrogate', 'Ada\ud83d'],
]

const goodNames = ['Ada Lovelace', 'Zoë O’Brien-Ng', 'محمد', 'می‌خواهم', 'नेहा', '👩‍👩‍👧 Family', '🏴󠁧󠁢󠁳󠁣󠁴󠁿 Scot', '李雷']

describe('the name of an account', () => {
  test.for(badNames)('cannot be %s, on the command line', ([, name]) => {
    const parsed = NewAccount.safeParse({ email: 'a@lectern.example', name })
    expect(parsed.error?.issues[0]?.message).toMatch(/must be one line/)
  })

  test.for(goodNames)('may be %s', (name) => {
    expect(NewAccount.parse({ email: 'a@lectern.example', name: ` ${name} ` }).name).toBe(name)
  })

  // A form cannot contain a lone surrogate.
  test.for(badNames.slice(0, -1))('cannot be %s, on any page that creates an account', async ([, name]) => {
    const open = await openServer()
    const { services } = server.running.opened
    const { body } = await desk.call(owner, `POST /teams/${team}/members`, { email: 'named@lectern.example' })
    const invited = `${new URL(body.invite.url).pathname}/sign-up`
    const account = await accountWithPassword(server, { name: 'Before' })
    const first = pathOf((await issueLink(services, 'invite', account.id)).url)
    const email = 'named@lectern.example'
    const confirm = pathOf((await issueLink(open.running.opened.services, 'sign_up', { email })).url)
    const fields = { name, password, again: password }
    const forms: [TestServer, string, string, Record<string, string>][] = [
      [server, invited, invited, fields],
      [server, first, '/sign-up', fields],
      [open, '/sign-up', '/sign-up', { email, ...fields }],
      [open, confirm, '/sign-up/confirm', fields],
    ]
    for (const [where, page, action, sent] of forms) {
      const answer = await webClient(where).submit(page, action, sent)
      expect([action, answer.status, answer.text]).toEqual([action, 400, expect.stringContaining('must be one line')])
      expect(await where.running.opened.services.accounts.byEmail(email)).toBeNull()
    }
    expect((await services.accounts.byId(account.id))?.name).toBe('Before')
  })
})

const stack = `a${'\u0301'.repeat(40)}`

describe.for(transports)('the name of something, over %s,', ([, transport]) => {
  test.for<[what: string, sent: string, stored: string]>([
    ['control characters', 'Wh\u0000al\u001b[2Jes', 'Whal[2Jes'],
    ['a bidirectional override', 'Whales \u202egnp.exe', 'Whales gnp.exe'],
    ['invisible characters', '\ufeffWha\u200bles\u{e0041}', 'Whales'],
    ['line breaks', 'Whales\r\n\t and\u2028krill', 'Whales and krill'],
    ['a stack of marks', `Whales ${stack}`, `Whales a${'\u0301'.repeat(10)}`],
    ['nothing unusual', ' می‌خواهم  नेहा 👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ', 'می‌خواهم  नेहा 👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ])('is stored without %s', async ([, sent, stored]) => {
    const person = await server.createPerson()
    const call = (tool: string, input: object) => transport.call(server, person, tool, { ...input })
    const { body: book } = await call('create_markdown_item', { title: sent, content: '# One\n' })
    expect(book.title).toBe(stored)
    const toc = [{ title: sent, page: 1 }]
    const { body: enriched } = await call('enrich_item', { itemId: book.id, title: sent, author: sent, toc })
    expect([enriched.item.title, enriched.item.author]).toEqual([stored, stored])
    const { items } = (await rest.call(server, person, 'get_table_of_contents', { ids: [book.id] })).body
    expect(items[0].toc[0].title).toBe(stored)
    expect((await call('create_manuscript', { title: sent })).body.manuscript.title).toBe(stored)
    expect((await call('create_shelf', { name: sent })).body.name).toBe(stored)
  })

  test('is refused if nothing is left of it', async () => {
    const person = await server.createPerson()
    for (const tool of ['create_markdown_item', 'create_manuscript']) {
      const answer = await transport.call(server, person, tool, { title: '\u200b\u3164\u202e' })
      expect([tool, answer.text]).toEqual([tool, expect.stringContaining('title is required')])
    }
  })
})

test('teams and accounts have no stacks of marks in their names', async () => {
  const { body } = await desk.call(owner, 'POST /teams', { name: `Team ${stack}` })
  expect(body.team.name).toBe(`Team a${'\u0301'.repeat(10)}`)
  expect(NewAccount.parse({ email: 'a@lectern.example', name: stack }).name).toHaveLength(11)
})

let opened: TestServer | undefined
const openServer = async () => (opened ??= await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open' }))
afterAll(() => opened?.close())
const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

describe('a mail', () => {
  async function mailTo(email: string): Promise<ReceivedMail> {
    for (;;) {
      const mail = smtp.mails.findLast(({ to }) => to.includes(email))
      if (mail) return mail
      await smtp.next()
    }
  }

  test('with an invitation has text by others last, quoted, truncated and on one line each', async () => {
    const phishing = 'Your account is locked. Sign in at https://evil.example/now'
    const { services } = server.running.opened
    const hostile = await server.createPerson()
    // Stored as the first release did.
    await services.accounts.change(hostile.id, { name: `${phishing}\n\nThe Lectern team\n${'x'.repeat(200)}` })
    const shown = await desk.createTeam(hostile)
    await services.teams.change(shown, { name: `${phishing} \u202e`.slice(0, 100) })
    const email = 'careful@lectern.example'
    await desk.call(hostile, `POST /teams/${shown}/members`, { email })
    const { text, headers } = await mailTo(email)
    expect(headers['subject']).toBe('An invitation to a team on Lectern')
    const lines = text.trimEnd().split('\n')
    const [sender = '', named = ''] = lines.slice(-2)
    expect(sender).toMatch(/^> Sender: Your account is locked.*…$/)
    expect([...sender].length).toBeLessThanOrEqual('> Sender: '.length + 80)
    expect(named).toMatch(/^> Team: Your account is locked[^\u202e]*$/)
    expect(lines.slice(0, -2).join('\n')).not.toMatch(/evil|locked|The Lectern team/)
    expect(lines.slice(0, -2).join('\n')).toContain(`${server.baseUrl}/invites/`)
    expect(text).toMatch(/can be accepted until \d{1,2} [A-Z][a-z]{2,3} \d{4}\./)
  })

  test('does not greet with a name that somebody else may have chosen', async () => {
    const account = await accountWithPassword(server, { name: 'Call 555 at once' })
    const browser = webClient(server)
    await browser.submit('/reset', '/reset/request', { email: account.email })
    expect((await mailTo(account.email)).text).not.toContain('555')
  })

  test.for([
    ['one line', 'a\r\nb\u2028c', 'a b c'],
    ['80 characters', 'y'.repeat(300), `${'y'.repeat(79)}…`],
    ['visible characters', 'a\u202eb', 'a\\u202eb'],
    ['whole characters', '📚'.repeat(90), `${'📚'.repeat(79)}…`],
  ] as const)('quotes %s', ([, words, quoted]) => {
    expect(quoteWords({ Team: words })).toBe(`> Team: ${quoted}`)
  })
})

describe('invitations', () => {
  const invite = (person: Pick<Person, 'key'>, teamId: string, email: string) =>
    send(server, person.key, { method: 'POST', path: `/api/v1/teams/${teamId}/members`, body: { email } })

  test('are limited per account and day, in all its teams together', async () => {
    const { attemptLimiter, invites } = server.running.opened.services
    const sender = await server.createPerson()
    const [one, two] = [await desk.createTeam(sender), await desk.createTeam(sender)]
    for (let i = 1; i < attemptLimits.invite.max; i++) await attemptLimiter.consume('invite', sender.id)
    expect((await invite(sender, one, 'last@lectern.example')).status).toBe(201)
    for (const [teamId, email] of [
      [one, 'last@lectern.example'],
      [two, 'more@lectern.example'],
    ] as const) {
      const answer = await invite(sender, teamId, email)
      expectRefusal(answer, 'rest', {
        status: 429,
        code: 'RATE_LIMITED',
        message: /50 invitations within a day.*in 24 hours.*administrator/,
      })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(23 * 3600)
    }
    expect(await invites.list(two)).toEqual([])
    expect((await invite(owner, team, 'more@lectern.example')).status).toBe(201)
  })

  test('by an administrator of the server are unlimited', async () => {
    const { services } = server.running.opened
    const admin = await accountWithPassword(server, { admin: true })
    const { key } = await createApiKey(services, admin.id, {})
    const own = await desk.createTeam({ id: admin.id, email: admin.email, key })
    for (let i = 0; i <= attemptLimits.invite.max; i++)
      await services.attemptLimiter.consume('invite', admin.id).catch(() => {})
    expect((await invite({ key }, own, 'one@lectern.example')).status).toBe(201)
  })
})
