import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { auditTypes, type AuditEntry, type AuditType } from '../../src/accounts/audit.ts'
import { createAudit } from '../../src/accounts/audit-store.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { createLog } from '../../src/app/log.ts'
import { eraseClosedAccounts } from '../../src/maintenance/erase-account.ts'
import { publishBook } from '../support/marketplace.ts'
import { makeBook } from '../support/make-book.ts'
import { registerProgram } from '../support/oauth.ts'
import { runLectern } from '../support/run-lectern.ts'
import { startTestServer, testDatabaseEnvironment, type Person, type TestServer } from '../support/server.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { createTeamClient, tokenOf, type TeamClient } from '../support/team-client.ts'
import { restTransport } from '../support/transports.ts'
import { webClient, type WebClient } from '../support/web-client.ts'
import { accountWithPassword, password, signedInPerson, signIn, type WebPerson } from '../support/signed-in-person.ts'

let server: TestServer
let smtp: SmtpServer
let directory: string
let environment: Record<string, string>
let person: WebPerson
let owner: Person
let member: Person
let teams: TeamClient

/** Secrets that were typed, issued or mailed in this file; the log must contain none of them. */
const secrets = new Set<string>([password])
/** The recorded actions are not offered over MCP. */
const rest = restTransport()
const client = '127.0.0.1'

beforeAll(async () => {
  smtp = await startSmtpServer()
  directory = await mkdtemp(join(tmpdir(), 'lectern-audit-'))
  const store = { LECTERN_DATA_DIR: directory, LECTERN_DEFAULT_PLAN: 'PRO', ...testDatabaseEnvironment(directory) }
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open', LECTERN_SMTP_URL: smtp.url, ...store })
  environment = { ...store, LECTERN_BASE_URL: server.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
  person = await signedInPerson(server)
  ;[owner, member] = [await server.createPerson(), await server.createPerson()]
  for (const { key } of [owner, member]) secrets.add(key)
  teams = createTeamClient(server)
}, 60_000)
afterAll(async () => {
  await server?.close()
  await smtp?.close()
  await rm(directory, { recursive: true, force: true })
})

const audit = () => server.running.opened.services.audit
const lectern = (...args: string[]) => runLectern([...args, '--json'], environment)
const remember = (browser: WebClient) => browser.cookies.forEach((value) => secrets.add(value))

/** Signs in again and records the cookies and tokens that the browser gets. */
async function newPerson(): Promise<WebPerson> {
  const created = await signedInPerson(server)
  remember(created.browser)
  return created
}

async function resetPath(accountId: string): Promise<string> {
  const { url } = await issueLink(server.running.opened.services, 'reset', accountId)
  secrets.add(new URL(url).searchParams.get('token') as string)
  return url.slice(server.baseUrl.length)
}

async function newTeam(): Promise<{ teamId: string; itemId: string }> {
  const teamId = await teams.createTeam(owner)
  await teams.addMember(teamId, member)
  return { teamId, itemId: await makeBook(server, owner) }
}

interface Expected {
  by: string | null
  about?: string | null
  from?: string | null
  detail?: object
}

/** All types of entries, each with an action that produces it. */
const acts: Record<AuditType, () => Promise<Expected>> = {
  async sign_in() {
    const { account } = await newPerson()
    return { by: account.id }
  },
  async sign_in_failed() {
    const account = await accountWithPassword(server)
    secrets.add('not quite my password')
    await signIn(webClient(server), account.email, 'not quite my password')
    return { by: null, about: account.id }
  },
  async sign_out() {
    const { account, browser } = await newPerson()
    await browser.submit('/account', '/sign-out', {})
    return { by: account.id }
  },
  async session_ended() {
    const { account, browser } = await newPerson()
    await browser.submit('/account', '/account/sessions/end', {})
    return { by: account.id }
  },
  async password_failed() {
    const { account, browser } = await newPerson()
    secrets.add('not quite mine')
    await browser.submit('/account/confirm', '/account/confirm', { current: 'not quite mine' })
    return { by: account.id }
  },
  async password_changed() {
    const { account, browser } = await newPerson()
    const fresh = 'quite other words of mine'
    secrets.add(fresh)
    await browser.submit('/account', '/account/password', { current: password, password: fresh, again: fresh })
    return { by: account.id, detail: { revokedAccess: false } }
  },
  async password_reset() {
    const account = await accountWithPassword(server)
    const fresh = 'words after a reset here'
    secrets.add(fresh)
    const fields = { password: fresh, again: fresh, revokeAccess: 'on' }
    await webClient(server).submit(await resetPath(account.id), '/reset', fields)
    return { by: account.id, detail: { revokedAccess: true } }
  },
  async reset_requested() {
    const account = await accountWithPassword(server)
    await webClient(server).submit('/reset', '/reset/request', { email: account.email })
    secrets.add(/token=(\S+)/.exec((await smtp.next()).text)?.[1] as string)
    return { by: null, about: account.id }
  },
  async reset_link_issued() {
    const { id, email } = await accountWithPassword(server)
    const { json } = await lectern('user', 'reset', '--email', email)
    secrets.add(new URL(json.resetUrl).searchParams.get('token') as string)
    return { by: null, about: id, from: 'command' }
  },
  async key_created() {
    const { account, browser } = await newPerson()
    const { text } = await browser.submit('/keys', '/keys', { name: 'Laptop', scopes: ['library:read'] })
    secrets.add(/lectern_[0-9A-Za-z]{40}/.exec(text)?.[0] as string)
    return { by: account.id, detail: { key: expect.any(String), scopes: ['library:read'] } }
  },
  async key_revoked() {
    const { account, browser } = await newPerson()
    await createApiKey(server.running.opened.services, account.id, {})
    await browser.submit('/keys', '/keys/revoke', {})
    return { by: account.id, detail: { key: expect.any(String) } }
  },
  async oauth_consented() {
    const { account, browser } = await newPerson()
    const tokens = await (await registerProgram(server)).connect(browser)
    secrets.add(tokens.access_token).add(tokens.refresh_token)
    return { by: account.id, detail: expect.objectContaining({ app: 'A test', grant: expect.any(String) }) }
  },
  async oauth_disconnected() {
    const { account, browser } = await newPerson()
    await (await registerProgram(server)).connect(browser)
    await browser.submit('/connections', '/connections/disconnect', {})
    return { by: account.id, detail: { app: 'A test', grants: [expect.any(String)] } }
  },
  async account_created() {
    const { services } = server.running.opened
    const email = 'anew@lectern.example'
    const { url } = await issueLink(services, 'sign_up', { email })
    secrets.add(new URL(url).searchParams.get('token') as string)
    const browser = webClient(server)
    const fields = { name: 'New', password, again: password }
    await browser.submit(url.slice(server.baseUrl.length), '/sign-up/confirm', fields)
    remember(browser)
    const account = await services.accounts.byEmail(email)
    return { by: account?.id as string }
  },
  async email_proven() {
    const account = await accountWithPassword(server)
    await lectern('user', 'prove', '--email', account.email)
    return { by: null, about: account.id, from: 'command' }
  },
  async email_changed() {
    const { id, email } = await accountWithPassword(server)
    await lectern('user', 'email', '--email', email, '--new-email', 'changed@lectern.example')
    return { by: null, about: id, from: 'command' }
  },
  async account_suspended() {
    const { id, email } = await accountWithPassword(server)
    await lectern('user', 'suspend', '--email', email)
    return { by: null, about: id, from: 'command' }
  },
  async account_resumed() {
    const { id, email } = await accountWithPassword(server)
    await lectern('user', 'resume', '--email', email)
    return { by: null, about: id, from: 'command' }
  },
  async account_closed() {
    const { account, browser } = await newPerson()
    await browser.submit('/account/delete', '/account/delete', { current: password })
    return { by: account.id }
  },
  async account_erased() {
    const { services } = server.running.opened
    const account = await accountWithPassword(server)
    await services.accountClosures.close(account.id, services.now())
    const now = () => new Date(Date.now() + 8 * 24 * 60 * 60_000)
    await eraseClosedAccounts({ ...services, now, log: createLog('silent') })
    return { by: null, about: account.id, from: null }
  },
  async plan_changed() {
    const { id, email, tier } = await accountWithPassword(server)
    await lectern('user', 'plan', '--email', email, '--plan', 'FREE')
    return { by: null, about: id, from: 'command', detail: { from: tier, to: 'FREE' } }
  },
  async team_created() {
    await rest.call(server, owner, 'create_team', { name: 'A team' })
    return { by: owner.id, detail: { team: expect.any(String) } }
  },
  async team_deleted() {
    const { teamId } = await newTeam()
    await rest.call(server, owner, 'delete_team', { teamId })
    return { by: owner.id, detail: { team: teamId } }
  },
  async team_subscription_changed() {
    const { teamId } = await newTeam()
    await lectern('team', 'subscription', '--team', teamId, '--active', 'false')
    return { by: null, from: 'command', detail: { team: teamId, active: false } }
  },
  async member_joined() {
    const teamId = await teams.createTeam(owner)
    const { body } = await teams.call(owner, `POST /teams/${teamId}/members`, { email: member.email, role: 'MEMBER' })
    secrets.add(tokenOf(body.invite.url))
    await rest.call(server, member, 'accept_invite', { token: tokenOf(body.invite.url) })
    return { by: member.id, detail: { team: teamId } }
  },
  async member_left() {
    const { teamId } = await newTeam()
    await rest.call(server, member, 'leave_team', { teamId })
    return { by: member.id, detail: { team: teamId } }
  },
  async member_removed() {
    const { teamId } = await newTeam()
    await rest.call(server, owner, 'remove_team_member', { teamId, email: member.email })
    return { by: owner.id, about: member.id, detail: { team: teamId } }
  },
  async role_changed() {
    const { teamId } = await newTeam()
    await rest.call(server, owner, 'change_team_role', { teamId, email: member.email, role: 'ADMIN' })
    return { by: owner.id, about: member.id, detail: { team: teamId, from: 'MEMBER', to: 'ADMIN' } }
  },
  async share_created() {
    const { teamId, itemId } = await newTeam()
    await rest.call(server, owner, 'share_item', { teamId, itemId })
    const detail = { team: teamId, item: itemId, accessLevel: 'READ', departments: [] }
    return { by: owner.id, detail }
  },
  async share_changed() {
    const { teamId, itemId } = await newTeam()
    await teams.shareItem(teamId, owner, itemId)
    await rest.call(server, owner, 'update_share', { teamId, itemId, accessLevel: 'WRITE' })
    return { by: owner.id, detail: { team: teamId, item: itemId, accessLevel: 'WRITE' } }
  },
  async share_removed() {
    const { teamId, itemId } = await newTeam()
    await teams.shareItem(teamId, owner, itemId)
    await rest.call(server, owner, 'unshare_item', { teamId, itemId })
    return { by: owner.id, detail: { team: teamId, item: itemId } }
  },
  async listing_published() {
    const { itemId } = await publishBook(server, owner)
    return { by: owner.id, detail: { item: itemId, proOnly: false } }
  },
  async listing_withdrawn() {
    const { itemId, listingId } = await publishBook(server, owner)
    await rest.call(server, owner, 'withdraw_listing', { id: listingId })
    return { by: owner.id, detail: { listing: listingId, item: itemId } }
  },
  async version_removed() {
    const itemId = await makeBook(server, owner)
    await rest.call(server, owner, 'put_item_content', { id: itemId, content: '# Other words\n' })
    await rest.call(server, owner, 'purge_item_version', { itemId, version: 1, confirm: true })
    return { by: owner.id, detail: { item: itemId, version: 1 } }
  },
  async book_featured() {
    const { itemId } = await publishBook(server, owner)
    await lectern('book', 'feature', '--item', itemId)
    return { by: null, from: 'command', detail: { item: itemId } }
  },
  async built_in_book_added() {
    await lectern('book', 'system', '--file', 'README.md')
    return { by: null, from: 'command', detail: { item: expect.any(String) } }
  },
  async account_exported() {
    const response = await fetch(`${server.baseUrl}/api/v1/account/export`, {
      headers: { Authorization: `Bearer ${owner.key}` },
    })
    await response.arrayBuffer()
    return { by: owner.id }
  },
  async report_read() {
    const administrator = await signedInPerson(server, { admin: true })
    const { body } = await rest.call(server, owner, 'send_report', { title: 'A report', body: 'Something is wrong.' })
    await administrator.browser.get(`/support/${body.id}`)
    return { by: administrator.account.id, about: owner.id, detail: { report: body.id } }
  },
}

describe('the audit log has an entry for each action', () => {
  test.for(auditTypes)('%s', { timeout: 60_000 }, async (type) => {
    const since = server.running.opened.services.now()
    const expected = await acts[type]()
    const { by, about = by, from = client, detail = expect.anything() } = expected
    const entries = await vi.waitFor(async () => {
      const found = await audit().list({ type, since, limit: 10 })
      expect(found.length).toBeGreaterThan(0)
      return found
    })
    expect(entries[0]).toMatchObject({ type, actorId: by, accountId: about, clientAddress: from, detail })
    expect(entries[0]?.at.getTime()).toBeGreaterThanOrEqual(since.getTime())
  })

  test('no entry contains a secret or an email address', async () => {
    await audit().flush()
    const rows = await server.running.opened.database.db.collection('audit').find().toArray()
    const text = JSON.stringify(rows)
    expect(new Set(rows.map(({ type }) => type)).size).toBe(auditTypes.length)
    expect(secrets.size).toBeGreaterThan(20)
    for (const secret of secrets) expect(text.includes(secret), secret).toBe(false)
    expect(text).not.toMatch(/@lectern\.example/)
  })
})

describe('the log is immutable', () => {
  test('it offers no change and no removal', () => {
    expect(Object.keys(audit()).toSorted()).toEqual(['flush', 'list', 'record'])
  })

  test('its entries survive the erasure of the account', async () => {
    const { services } = server.running.opened
    const { account } = await newPerson()
    await services.accountClosures.close(account.id, services.now())
    const now = () => new Date(Date.now() + 8 * 24 * 60 * 60_000)
    await eraseClosedAccounts({ ...services, now, log: createLog('silent') })
    expect(await services.accounts.byId(account.id)).toBeNull()
    const types = (await audit().list({ accountId: account.id, limit: 10 })).map(({ type }) => type)
    expect(types).toEqual(['account_erased', 'sign_in'])
  })

  test('if the log cannot be written, the action continues, and the server’s log has the entry', async () => {
    const lines: object[] = []
    const insertOne = () => Promise.reject(new Error('the store is gone'))
    const db = { collection: () => ({ insertOne }) } as never
    const broken = createAudit(db, { now: () => new Date(), days: 1, log: { error: (fields) => lines.push(fields) } })
    await broken.record({ type: 'sign_out', by: { clientAddress: client, actorId: 'somebody' } })
    expect(lines).toMatchObject([{ entry: { type: 'sign_out', actorId: 'somebody' } }])
  })

  test('strangers cannot flood it with unknown addresses', async () => {
    const { attemptLimiter } = server.running.opened.services
    for (let i = 0; i < 1000; i++) await attemptLimiter.consume('audit_unknown', 'all').catch(() => {})
    const since = server.running.opened.services.now()
    await signIn(webClient(server), 'nobody@lectern.example', 'a wrong guess')
    const account = await accountWithPassword(server)
    await signIn(webClient(server), account.email, 'a wrong guess')
    await vi.waitFor(async () => {
      const failures: AuditEntry[] = await audit().list({ type: 'sign_in_failed', since, limit: 10 })
      expect(failures.map(({ accountId }) => accountId)).toEqual([account.id])
    })
  })

  test('entries expire after the configured time', async () => {
    const row = await server.running.opened.database.db.collection('audit').findOne({})
    expect(row?.['expiresAt'].getTime() - row?.['at'].getTime()).toBe(365 * 24 * 60 * 60_000)
  })
})

describe('reading the log', () => {
  test('lectern audit filters by account, type, time and number', { timeout: 60_000 }, async () => {
    const { account, browser, email } = await newPerson()
    await browser.submit('/account', '/sign-out', {})
    const all = await lectern('audit', '--email', email)
    expect(all.json.entries.map(({ type }: AuditEntry) => type)).toEqual(['sign_out', 'sign_in'])
    expect(all.json.entries[0]).toMatchObject({ actorId: account.id, clientAddress: client })
    const one = await lectern('audit', '--email', email, '--type', 'sign_in', '--limit', '5')
    expect(one.json.entries).toHaveLength(1)
    expect((await lectern('audit', '--limit', '3')).json.entries).toHaveLength(3)
    const later = new Date(Date.now() + 60_000).toISOString()
    expect((await lectern('audit', '--since', later)).json.entries).toEqual([])
    const { stdout } = await runLectern(['audit', '--email', email], environment)
    expect(stdout).toMatch(new RegExp(`^\\d{4}\\S+Z  sign_out  127\\.0\\.0\\.1  ${email}  ${email}$`, 'm'))
    expect((await lectern('audit', '--type', 'nothing')).code).toBe(2)
  })

  test('administrators read it in the browser, page by page', async () => {
    const { browser } = await signedInPerson(server, { admin: true })
    expect((await browser.get('/account')).text).toContain('href="/admin/audit"')
    const first = await browser.get('/admin/audit')
    expect(first.status).toBe(200)
    const older = /href="(\/admin\/audit\?before=[^"]+)"/.exec(first.text)?.[1] as string
    const second = await browser.get(older)
    expect(second.status).toBe(200)
    expect(rowsOf(first.text)).toHaveLength(50)
    expect(rowsOf(second.text)[0]).not.toBe(rowsOf(first.text)[0])
    const { email } = person
    const own = await browser.get(`/admin/audit?type=sign_in&email=${encodeURIComponent(email)}`)
    expect(rowsOf(own.text)).toHaveLength(1)
    expect((await browser.get('/admin/audit?email=nobody@lectern.example')).text).toContain('No account has this')
    for (const odd of ['type=x', 'before=x', 'before=%00', 'type[]=1'])
      expect((await browser.get(`/admin/audit?${odd}`)).status).toBe(200)
  })

  test('details are shown in words', async () => {
    const { account, browser } = await signedInPerson(server, { admin: true })
    const detail = { admin: true, scopes: ['library:read'], departments: null, revokedAccess: false }
    await audit().record({ type: 'account_created', by: { clientAddress: client, actorId: account.id }, detail })
    const words =
      'Administrator: yes; Permissions: library:read; Departments: none; Keys and apps were disconnected: no'
    expect((await browser.get('/admin/audit')).text).toContain(words)
  })

  test('every detail of an entry has a name on the page', async () => {
    const { browser } = await signedInPerson(server, { admin: true })
    const { text } = await browser.get('/admin/audit')
    expect(text).not.toMatch(/<p class="facts">[a-z]\w*: /)
    expect(text).not.toMatch(/; [a-z]\w*: /)
  })

  test('other users get a 404', async () => {
    const { browser } = await newPerson()
    const [there, absent] = [await browser.get('/admin/audit'), await browser.get('/admin/nothing')]
    expect([there.status, absent.status]).toEqual([404, 404])
    expect((await webClient(server).get('/admin/audit')).location).toContain('/sign-in')
  })

  test('the name that a program reports is shown as text', async () => {
    const { account } = await newPerson()
    const by = { clientAddress: client, actorId: account.id, userAgent: `<script>${'x'.repeat(300)}` }
    await audit().record({ type: 'sign_in', by, detail: { app: '<img src=x>' } })
    const { browser } = await signedInPerson(server, { admin: true })
    const { text } = await browser.get('/admin/audit')
    expect(text).not.toMatch(/<script>|<img src=x>/)
    expect(text).toMatch(/&lt;script&gt;x{192}\s*</)
  })
})

const rowsOf = (text: string) => [...text.matchAll(/<time datetime="([^"]+)"/g)].map(([, at]) => at)
