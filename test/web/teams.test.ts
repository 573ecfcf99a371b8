import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient, type Fields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let desk: TeamClient
let other: Person

beforeAll(async () => {
  desk = createTeamClient(server)
  other = await server.createPerson()
})

/** A person who has created a team on the web page. */
async function owner(name = 'Circle'): Promise<WebPerson & { path: string; teamId: string }> {
  const person = await signedInPerson(server)
  const { location } = await person.browser.submit('/teams', '/teams', { name })
  const path = (location ?? '').split('?')[0] ?? ''
  return { ...person, path, teamId: path.split('/').at(-1) ?? '' }
}

/** Sends a form of the team's page. */
const act = async (
  { browser, path }: Pick<Awaited<ReturnType<typeof owner>>, 'browser' | 'path'>,
  action: string,
  fields: Fields = {},
) => {
  await server.running.opened.database.db.collection('rates').deleteMany({})
  return browser.submit(path, `${path}/${action}`, fields)
}

describe('teams', () => {
  test('are created and listed; nobody else sees them', async () => {
    const person = await owner('Reading <circle>')
    expect((await person.browser.get('/teams')).text).toContain('Reading &lt;circle&gt;')
    const { text } = await person.browser.get(`${person.path}?done=created`)
    expect(text).toContain('Team created.')
    expect(text).toContain('No books shared yet')
    const stranger = await signedInPerson(server)
    expect((await stranger.browser.get('/teams')).text).toContain('You are not in a team yet')
    expect((await stranger.browser.get(person.path)).status).toBe(404)
    expect((await webClient(server).get(person.path)).location).toMatch(/^\/sign-in/)
  })

  test('keep a refused name in the form', async () => {
    const { browser } = await signedInPerson(server)
    const refused = await browser.submit('/teams', '/teams', { name: '…' })
    expect([refused.status, refused.text.includes('value="…"')]).toEqual([400, true])
  })

  test('invite people, change their roles and remove them', async () => {
    const person = await owner()
    const invited = await act(person, 'invite', { email: 'new@lectern.example', role: 'ADMIN' })
    expect(invited.location).toBe(`${person.path}?done=invite`)
    const before = (await person.browser.get(person.path)).text
    expect(before).toMatch(
      /<summary[^>]*>\s*Withdraw…<span class="hidden-text"> the invitation of new@lectern\.example<\/span>\s*<\/summary>/,
    )
    const withdrawn = await act(person, 'withdraw-invitation', { email: 'new@lectern.example' })
    const { text } = await person.browser.get(withdrawn.location ?? '')
    expect(text).toContain('Invitation withdrawn.')
    expect(text).not.toContain('new@lectern.example')
    expect((await person.browser.get(person.path)).text).not.toContain('new@lectern.example')
    await desk.addMember(person.teamId, other)
    await act(person, 'role', { email: other.email, role: 'ADMIN' })
    const { members } = server.running.opened.services
    expect(await members.find(person.teamId, other.id)).toMatchObject({ role: 'ADMIN' })
    const wrong = await act(person, 'invite', { email: 'not an address' })
    expect([wrong.status, wrong.text.includes('value="not an address"')]).toEqual([400, true])
    const last = await act(person, 'role', { email: person.email, role: 'MEMBER' })
    expect(last.status).toBeGreaterThanOrEqual(400)
    expect(last.text).toContain('role="alert"')
    await act(person, 'remove', { email: other.email })
    expect(await members.find(person.teamId, other.id)).toBeNull()
  })

  test('give their leaders the link of an invitation to send, if the server sends no mail', async () => {
    const person = await owner()
    const invited = await server.createPerson()
    await act(person, 'invite', { email: invited.email, role: 'MEMBER' })
    expect((await person.browser.get(person.path)).text).toMatch(/>Send this link:\s+<code data-copy>http/)
  })

  test('say that nothing was sent to somebody who is in the team already', async () => {
    const person = await owner()
    await desk.addMember(person.teamId, other)
    for (const { email } of [other, person]) {
      const { location } = await act(person, 'invite', { email })
      expect((await person.browser.get(location ?? '')).text).toContain('This person is in the team already.')
    }
  })

  test('offer their leaders only what their role allows', async () => {
    const person = await owner()
    const admin = await signedInPerson(server)
    await desk.addMember(person.teamId, admin.account, 'ADMIN')
    const own = (await person.browser.get(person.path)).text
    expect(own).toContain('<option value="ADMIN">Admin: invites')
    expect((await admin.browser.get(person.path)).text).not.toContain('<option value="ADMIN">')
    // The owner removes others, and leaves.
    const removable = [...own.matchAll(/Remove…<span class="hidden-text"> ([^<]*)/g)].map(([, email]) => email)
    expect(removable).toEqual([admin.email])
  })

  test('say that their only owner cannot leave, and offer it once there is another owner', async () => {
    const person = await owner()
    await desk.addMember(person.teamId, other)
    const alone = (await person.browser.get(person.path)).text
    expect(alone).toContain('You are its only owner.')
    expect(alone).not.toContain(`action="${person.path}/leave"`)
    expect(alone).not.toContain(`Role of ${person.email}`)
    await act(person, 'role', { email: other.email, role: 'OWNER' })
    const { text } = await person.browser.get(person.path)
    expect(text).not.toContain('You are its only owner.')
    expect(text).toContain(`action="${person.path}/leave"`)
    // Who gives the role away cannot take it back.
    const form = text.indexOf(`Role of ${person.email}`)
    expect(text.slice(text.lastIndexOf('<summary', form), form)).toMatch(
      /Change your role…[\s\S]*Only another owner can make\s+you an owner again/,
    )
  })

  test('remove a declined invitation from the list, without asking about a link that no longer works', async () => {
    const person = await owner()
    const guest = await signedInPerson(server)
    await act(person, 'invite', { email: guest.email })
    const invites = (await guest.browser.get('/invites')).text
    const [invite = ''] = /\/invites\/[\w-]{20,}/.exec(invites) ?? []
    await guest.browser.submit(invite, invite, { answer: 'decline' })
    const { text } = await person.browser.get(person.path)
    expect(text).toMatch(/declined\s*<\/p>/)
    expect(text).not.toContain('The link stops working')
    const removed = await act(person, 'remove-invitation', { email: guest.email })
    const after = (await person.browser.get(removed.location ?? '')).text
    expect(after).toContain('Invitation removed from the list.')
    expect(after).not.toContain(guest.email)
  })

  test('ask before they remove a member or delete a department', async () => {
    const person = await owner()
    await desk.addMember(person.teamId, other)
    await act(person, 'department', { name: 'Research' })
    const { text } = await person.browser.get(person.path)
    for (const action of ['remove', 'delete-department']) {
      const form = text.indexOf(`action="${person.path}/${action}"`)
      const question = text.slice(text.lastIndexOf('<details', form), form)
      expect(question, action).toMatch(/<summary[^>]*>(Remove|Delete department)…[\s\S]*<p class="facts">/)
    }
  })

  test('have departments with members', async () => {
    const person = await owner()
    await desk.addMember(person.teamId, other)
    await act(person, 'department', { name: 'Research' })
    const { location: again } = await act(person, 'department', { name: 'Research' })
    expect((await person.browser.get(again ?? '')).text).toContain('has a department with this name already')
    const { departments, members } = server.running.opened.services
    const [department] = await departments.list(person.teamId)
    const dept = department?.id ?? ''
    await act(person, 'add-to-department', { dept, email: other.email })
    expect((await members.find(person.teamId, other.id))?.departments).toEqual([dept])
    await act(person, 'remove-from-department', { dept, email: other.email })
    expect((await members.find(person.teamId, other.id))?.departments).toEqual([])
    await act(person, 'rename-department', { dept, name: 'Science' })
    expect((await person.browser.get(person.path)).text).toContain('Science')
    await act(person, 'delete-department', { dept })
    expect(await departments.list(person.teamId)).toEqual([])
  })

  test('show the books shared with them, and end a share', async () => {
    const person = await owner()
    await desk.addMember(person.teamId, other)
    const itemId = await makeBook(server, other, { title: 'Minutes & more' })
    await desk.shareItem(person.teamId, other, itemId)
    expect((await person.browser.get(person.path)).text).toContain('Minutes &amp; more')
    await act(person, 'access', { itemId, accessLevel: 'WRITE' })
    const { shares } = server.running.opened.services
    expect(await shares.find(person.teamId, itemId)).toMatchObject({ accessLevel: 'WRITE' })
    await act(person, 'unshare', { itemId })
    expect(await shares.find(person.teamId, itemId)).toBeNull()
  })

  test('share a book with departments instead of everybody, and name them', async () => {
    const person = await owner()
    const itemId = await makeBook(server, person.account, { title: 'Minutes' })
    for (const name of ['Legal & Tax', 'Research']) await act(person, 'department', { name })
    const { departments, shares } = server.running.opened.services
    const [legal, research] = await departments.list(person.teamId)
    await person.browser.submit(`/books/${itemId}`, `/books/${itemId}/share`, { team: person.teamId })
    const narrowed = await act(person, 'audience', { itemId, departments: [legal?.slug ?? '', research?.slug ?? ''] })
    expect(narrowed.location).toBe(`${person.path}?done=audience`)
    expect((await shares.find(person.teamId, itemId))?.departments).toEqual([legal?.id, research?.id])
    expect((await person.browser.get(person.path)).text).toContain('Legal &amp; Tax, Research')
    await act(person, 'audience', { itemId, teamWide: 'on' })
    expect((await shares.find(person.teamId, itemId))?.departments).toEqual([])
  })

  test('tell a member whose book is shared with departments that they are in none of these', async () => {
    const person = await owner()
    const member = await signedInPerson(server)
    await desk.addMember(person.teamId, member.account)
    const itemId = await makeBook(server, member.account)
    await act(person, 'department', { name: 'Research' })
    await member.browser.submit(`/books/${itemId}`, `/books/${itemId}/share`, { team: person.teamId })
    await act(person, 'audience', { itemId, departments: ['research'] })
    const { text } = await member.browser.get(person.path)
    expect(text).toMatch(/May be read by\s+departments that you are not in, since/)
  })

  test.for([
    ['nobody', {}],
    ['everybody and a department', { teamWide: 'on', departments: 'research' }],
  ] as const)('refuse to share a book with %s, and keep the ticks', async ([, ticks]) => {
    const person = await owner()
    const itemId = await makeBook(server, person.account)
    await act(person, 'department', { name: 'Research' })
    await person.browser.submit(`/books/${itemId}`, `/books/${itemId}/share`, { team: person.teamId })
    const { status, text } = await act(person, 'audience', { itemId, ...ticks })
    expect(status).toBe(400)
    expect(text).toContain('Select either the whole team or the departments')
    for (const name of ['teamWide', 'departments']) {
      expect(new RegExp(`name="${name}"[^>]*checked`).test(text), name).toBe(name in ticks)
    }
    const { shares } = server.running.opened.services
    expect((await shares.find(person.teamId, itemId))?.departments).toEqual([])
  })

  test('are renamed, left and deleted', async () => {
    const person = await owner()
    await act(person, 'rename', { name: 'Another name' })
    expect((await person.browser.get(person.path)).text).toContain('Another name')
    const csrf = /name="csrf" value="([^"]+)"/.exec((await person.browser.get(person.path)).text)?.[1] ?? ''
    const stuck = await person.browser.post(`${person.path}/leave`, { csrf })
    expect(stuck.status).toBeGreaterThanOrEqual(400)
    const left = await act(person, 'delete')
    expect(left.location).toBe('/teams?done=delete')
    expect((await person.browser.get('/teams?done=delete')).text).toContain('Team deleted.')
    expect((await person.browser.get(person.path)).status).toBe(404)
  })

  test('give plain members no leader forms, and refuse those sent anyway', async () => {
    const person = await owner()
    const member = await signedInPerson(server)
    await desk.addMember(person.teamId, member.account)
    const { text } = await member.browser.get(person.path)
    for (const action of ['invite', 'role', 'remove', 'department', 'rename', 'delete', 'access', 'audience']) {
      expect(text).not.toContain(`action="${person.path}/${action}"`)
    }
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
    for (const [action, fields] of [
      ['invite', { email: 'x@lectern.example' }],
      ['rename', { name: 'Mine' }],
      ['delete', {}],
    ] as const) {
      expect((await member.browser.post(`${person.path}/${action}`, { csrf, ...fields })).status).toBe(403)
    }
    expect((await member.browser.post(`${person.path}/constructor`, { csrf })).status).toBe(404)
    expect((await act({ browser: member.browser, path: person.path }, 'leave')).location).toBe('/teams?done=leave')
  })

  test('show pending invitations', async () => {
    const person = await owner()
    const guest = await signedInPerson(server)
    await act(person, 'invite', { email: guest.email })
    const { text } = await guest.browser.get('/teams')
    expect(text).toContain('1 invitation is waiting')
    expect(text).toContain('href="/invites"')
  })
})
