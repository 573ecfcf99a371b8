import { beforeAll, describe, expect, test } from 'vitest'
import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import { createLog } from '../../src/app/log.ts'
import type { Context } from '../../src/app/context.ts'
import { eraseBinned } from '../../src/books/bin.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { cleanUp } from '../../src/maintenance/sweep.ts'
import { discardDraft, findDraft, listDrafts } from '../../src/writing/find-drafts.ts'
import { maxDrafts, saveDraft } from '../../src/writing/save-draft.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { createTeamClient } from '../support/team-client.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let owner: Person

beforeAll(async () => {
  owner = await server.createPerson()
})

/** Returns a person's call, as use cases get it. */
async function contextOf(person: Pick<Person, 'id'>): Promise<Context> {
  const { services } = server.running.opened
  const account = await services.accounts.byId(person.id)
  if (!account) throw new Error('There is no such account')
  return createAccountContext({ services, log: createLog('silent') }, account)
}

const input = (id: string, changes: object = {}) => ({
  id,
  place: '1',
  content: 'typed',
  version: 1,
  revision: '',
  ...changes,
})

describe('a draft', () => {
  test('is saved for its writer only, is replaced as more is typed, and can be discarded', async () => {
    const [ctx, id] = [await contextOf(owner), await makeBook(server, owner)]
    const first = await saveDraft(ctx, input(id))
    const second = await saveDraft(ctx, input(id, { content: 'typed more', revision: first.revision }))
    expect(await findDraft(ctx, { id, place: '1' })).toMatchObject({ content: 'typed more', revision: second.revision })
    const stranger = await contextOf(await server.createPerson())
    expect(await findDraft(stranger, { id, place: '1' })).toBeNull()
    await expect(saveDraft(stranger, input(id))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await discardDraft(stranger, { id, place: '1' })
    await discardDraft(ctx, { id, place: '1', revision: first.revision })
    expect(await findDraft(ctx, { id, place: '1' })).not.toBeNull()
    await discardDraft(ctx, { id, place: '1' })
    expect(await findDraft(ctx, { id, place: '1' })).toBeNull()
  })

  test('of another window is not overwritten, but the same text again is not a conflict', async () => {
    const [ctx, id] = [await contextOf(owner), await makeBook(server, owner)]
    const { revision } = await saveDraft(ctx, input(id, { content: 'window one' }))
    const other = saveDraft(ctx, input(id, { content: 'window two' }))
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT', details: { revision } })
    expect(await findDraft(ctx, { id, place: '1' })).toMatchObject({ content: 'window one' })
    await saveDraft(ctx, input(id, { content: 'window one' }))
    const discarded = await findDraft(ctx, { id, place: '1' })
    await discardDraft(ctx, { id, place: '1' })
    // Somebody continues to type in a window whose draft was discarded elsewhere.
    await saveDraft(ctx, input(id, { content: 'window two', revision: discarded?.revision }))
    expect(await findDraft(ctx, { id, place: '1' })).toMatchObject({ content: 'window two' })
  })

  test('can be saved for a team book that has become read-only, but not for an imported file', async () => {
    const teams = createTeamClient(server)
    const reader = await server.createPerson()
    const teamId = await teams.createTeam(owner)
    await teams.addMember(teamId, reader)
    const id = await makeBook(server, owner)
    await teams.shareItem(teamId, owner, id)
    const ctx = await contextOf(reader)
    await saveDraft(ctx, input(id))
    expect(await findDraft(ctx, { id, place: '1' })).toMatchObject({ content: 'typed' })
    const rows = server.running.opened.database.db.collection<{ _id: string }>('books')
    await rows.updateOne({ _id: id }, { $set: { sourceType: 'pdf' } })
    await expect(saveDraft(ctx, input(id, { place: '2' }))).rejects.toMatchObject({ code: 'ITEM_NOT_EDITABLE' })
  })

  test('is refused beyond the limit per account, while existing ones can still be changed', async () => {
    const person = await server.createPerson()
    const [ctx, id] = [await contextOf(person), await makeBook(server, person)]
    let revision = ''
    for (let place = 1; place <= maxDrafts; place++)
      ({ revision } = await saveDraft(ctx, input(id, { place: `${place}` })))
    await expect(saveDraft(ctx, input(id, { place: 'end' }))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('discard one'),
    })
    expect(await listDrafts(ctx)).toHaveLength(maxDrafts)
    await saveDraft(ctx, input(id, { place: `${maxDrafts}`, content: 'changed', revision }))
    await discardDraft(ctx, { id, place: '1' })
    await saveDraft(ctx, input(id, { place: 'end' }))
  })

  test('is listed with the title of its book while the book can be read', async () => {
    const person = await server.createPerson()
    const [ctx, id] = [await contextOf(person), await makeBook(server, person, { title: 'Whales' })]
    await saveDraft(ctx, input(id, { place: 'start' }))
    expect(await listDrafts(ctx)).toEqual([expect.objectContaining({ itemId: id, place: 'start', title: 'Whales' })])
    expect(await listDrafts(ctx)).not.toEqual([expect.objectContaining({ content: expect.anything() })])
  })
})

describe('drafts end', () => {
  test('with their book, once it can no longer be restored', async () => {
    const person = await server.createPerson()
    const [ctx, id] = [await contextOf(person), await makeBook(server, person)]
    await saveDraft(ctx, input(id))
    await deleteItems(ctx, { ids: [id] })
    expect(await listDrafts(ctx)).toEqual([])
    expect(await ctx.drafts.count(person.id)).toBe(1)
    await eraseBinned(ctx, { ownerId: person.id, id })
    expect(await ctx.drafts.count(person.id)).toBe(0)
  })

  test('thirty days after their last change', async () => {
    const [ctx, id] = [await contextOf(owner), await makeBook(server, owner)]
    const { services } = server.running.opened
    await saveDraft(ctx, input(id))
    const dayMs = 24 * 60 * 60 * 1000
    const later = (days: number) => ({
      ...services,
      log: createLog('silent'),
      now: () => new Date(services.now().getTime() + days * dayMs),
    })
    await cleanUp(later(29.9))
    expect(await findDraft(ctx, { id, place: '1' })).not.toBeNull()
    await cleanUp(later(30.1))
    expect(await findDraft(ctx, { id, place: '1' })).toBeNull()
  })
})
