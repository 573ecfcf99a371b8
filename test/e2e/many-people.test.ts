import { expect, test } from 'vitest'
import { mcp, rest, type ToolResponse } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()

/** Returns the body of the answer; throws with the text of a refusal. */
async function done(answer: Promise<ToolResponse>): Promise<any> {
  const { ok, body, text } = await answer
  if (!ok) throw new Error(text)
  return body
}

const viaRest = (person: Person, tool: string, input: Record<string, unknown> = {}) =>
  done(rest.call(server, person, tool, input))
const viaMcp = (person: Person, tool: string, input: Record<string, unknown> = {}) =>
  done(mcp.call(server, person, tool, input))

const chapters = ['Soil', 'Seeds', 'Water', 'Light', 'Harvest']
const gardening = chapters.map((name) => `# ${name}\n\nAll about ${name.toLowerCase()}.\n`).join('')

test('an author publishes; a reader previews, upgrades, reports a gap, and is notified when it is filled', async () => {
  const author = await server.createPerson({ plan: 'PRO' })
  const reader = await server.createPerson({ plan: 'FREE' })
  const itemId = await makeBook(server, author, { title: 'The Garden', content: gardening })
  const { listing } = await viaRest(author, 'publish_listing', { itemId, category: 'other', proOnly: true })

  const { listings } = await viaMcp(reader, 'browse_marketplace', { query: 'garden' })
  expect(listings.map(({ id }: { id: string }) => id)).toEqual([listing.id])
  expect((await viaMcp(reader, 'subscribe_marketplace', { listingId: listing.id })).itemId).toBe(itemId)
  const preview = await viaMcp(reader, 'read_items', { items: [{ id: itemId, pages: '1-5' }] })
  expect(preview.items[0]).toMatchObject({ proRestricted: true, previewPageCount: 2, totalPageCount: 5 })
  expect(preview.items[0].pages.map(({ pageNum }: { pageNum: number }) => pageNum)).toEqual([1, 2])
  expect((await viaMcp(reader, 'search_items', { query: 'harvest' })).items).toEqual([])

  await server.running.opened.services.accounts.change(reader.id, { tier: 'PRO' })
  const whole = await viaMcp(reader, 'read_items', { items: [{ id: itemId, pages: '5' }] })
  expect(whole.items[0].pages[0].content).toContain('All about harvest.')
  expect((await viaMcp(reader, 'search_items', { query: 'harvest' })).items[0].id).toBe(itemId)

  const gap = { intent: 'How to keep snails away', category: 'other', subcategory: 'Snails', aboutItemId: itemId }
  await viaMcp(reader, 'report_gap', gap)
  const { gaps } = await viaMcp(author, 'list_book_gaps', { itemId })
  expect(gaps).toMatchObject([{ subcategory: 'Snails', reporterCount: 1, status: 'OPEN' }])
  await viaMcp(author, 'append_item_pages', { id: itemId, content: '# Snails\n\nBeer traps.\n' })
  const fulfilled = await viaMcp(author, 'resolve_book_gap', { itemId, gapIds: gaps[0].gapIds })
  expect(fulfilled).toMatchObject({ ok: true, fulfilledGaps: 1, notified: 1 })

  const { notifications } = await viaRest(reader, 'list_notifications', { type: 'gap_fulfilled' })
  expect(notifications).toHaveLength(1)
  expect(notifications[0].metadata).toMatchObject({ itemId })
  const fresh = await viaMcp(reader, 'read_items', { items: [{ id: itemId, pages: '6' }] })
  expect(fresh.items[0].pages[0].content).toContain('Beer traps.')
  expect(fresh.items[0].freshness.changesSinceLastRead.changedPages).toContain(6)
})

test('a team with two departments shares books; a removed member loses access at once', async () => {
  const owner = await server.createPerson()
  const [sales, support] = [await server.createPerson(), await server.createPerson()]
  const { team } = await viaRest(owner, 'create_team', { name: 'The Company' })
  const teamId = team.id
  for (const member of [sales, support]) {
    await viaRest(owner, 'invite_team_member', { teamId, email: member.email })
    const { invites } = await viaRest(member, 'list_invites')
    const token = new URL(invites[0].url).pathname.split('/').at(-1)
    await viaRest(member, 'accept_invite', { token })
  }
  for (const [name, member] of [
    ['Sales', sales],
    ['Support', support],
  ] as const) {
    const { department } = await viaRest(owner, 'create_department', { teamId, name })
    await viaRest(owner, 'add_department_member', { teamId, dept: department.slug, email: member.email })
  }
  const prices = await makeBook(server, owner, { title: 'Prices', content: '# Prices\n\nThe zephyr costs nine.\n' })
  const answers = await makeBook(server, owner, { title: 'Answers', content: '# Answers\n\nTurn the zephyr off.\n' })
  await viaRest(owner, 'share_item', { teamId, itemId: prices, departmentSlugs: ['sales'], accessLevel: 'WRITE' })
  await viaRest(owner, 'share_item', { teamId, itemId: answers, departmentSlugs: ['support'] })

  const seen = async (person: Person) =>
    (await viaMcp(person, 'search_items', { query: 'zephyr' })).items.map(({ title }: { title: string }) => title)
  expect(await seen(sales)).toEqual(['Prices'])
  expect(await seen(support)).toEqual(['Answers'])
  await viaMcp(sales, 'append_item_pages', { id: prices, content: '# Rebates\n\nNone.\n' })
  const { sessionId } = await viaMcp(sales, 'start_access_session', { intent: 'prices' })
  const read = (person: Person) =>
    mcp.call(server, person, 'read_items', { items: [{ id: prices, pages: '1' }], sessionId })
  expect((await done(read(sales))).items).toHaveLength(1)
  expect((await done(read(support))).notFound).toEqual([prices])

  await viaRest(owner, 'remove_team_member', { teamId, email: sales.email })
  expect((await done(read(sales))).notFound).toEqual([prices])
  expect(await seen(sales)).toEqual([])
  expect((await viaMcp(sales, 'list_items')).items).toEqual([])
  const write = await mcp.call(server, sales, 'append_item_pages', { id: prices, content: '# More\n' })
  expect(write).toMatchObject({ ok: false, body: { code: 'NOT_FOUND' } })
  expect(await rest.call(server, sales, 'list_team_items', { teamId })).toMatchObject({
    status: 403,
    body: { code: 'NOT_A_TEAM_MEMBER' },
  })
  expect(await seen(support)).toEqual(['Answers'])
})
