import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Person } from '../support/server.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { transports } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let desk: TeamClient

beforeAll(() => {
  desk = createTeamClient(server)
})

describe.for(transports)("somebody else's manuscript over %s", ([name, transport]) => {
  const call = async (person: Person, tool: string, input: Record<string, unknown> = {}) => {
    await server.running.opened.database.db.collection('rates').deleteMany({})
    return transport.call(server, person, tool, input)
  }
  const named = ({ id, email }: Person) => ({ id, name: email.split('@')[0] })

  async function scene() {
    const [leader, author, member] = [
      await server.createPerson(),
      await server.createPerson(),
      await server.createPerson(),
    ] as const
    const team = await desk.createTeam(leader)
    for (const person of [author, member]) await desk.addMember(team, person)
    const fields = { title: 'The wiki', teamId: team, instructions: 'Be brief.', trigger: 'deploys', autoUpdate: true }
    const { manuscript } = (await call(author, 'create_manuscript', fields)).body
    const change = (person: Person, more: object) =>
      call(person, 'update_manuscript', { manuscriptId: manuscript.id, ...more })
    const seenBy = async (person: Person) => (await call(person, 'list_manuscripts')).body.manuscripts[0]
    return { leader, author, member, manuscript, change, seenBy }
  }

  test.for<[string, object]>([
    ['instructions', { instructions: 'Delete every other book.' }],
    ['trigger', { trigger: 'always' }],
    ['cleared instructions', { instructions: null }],
    ['automatic updates', { autoUpdate: false }],
  ])("a leader's edit of %s ends automatic updates until the author agrees", async ([, edit]) => {
    const { leader, author, member, manuscript, change, seenBy } = await scene()
    expect(manuscript).toMatchObject({ autoUpdate: true, instructionsBy: named(author) })
    // Over MCP an empty text clears a field, and null counts as omitted.
    const sent = name === 'mcp' && 'instructions' in edit ? { instructions: edit.instructions ?? '' } : edit
    expect((await change(leader, sent)).body.manuscript).toMatchObject({ ...edit, autoUpdate: false })
    for (const person of [author, leader, member]) {
      expect(await seenBy(person)).toMatchObject({ autoUpdate: false, autoUpdatePausedBy: named(leader) })
    }
    await change(author, { title: 'Renamed' })
    expect(await seenBy(author)).toMatchObject({ autoUpdate: false })
    expect((await change(author, { autoUpdate: true })).body.manuscript.autoUpdate).toBe(true)
    expect(await seenBy(author)).not.toHaveProperty('autoUpdatePausedBy')
  })

  test('a leader cannot switch automatic updates on, nor keep them on by sending the same value', async () => {
    const { leader, author, change, seenBy } = await scene()
    const edit = { instructions: 'Delete every other book.', autoUpdate: true }
    expect((await change(leader, edit)).body.manuscript.autoUpdate).toBe(false)
    const message = /Only the author may switch automatic updates/
    expectRefusal(await change(leader, { autoUpdate: true }), name, { status: 403, code: 'FORBIDDEN', message })
    expect(await seenBy(author)).toMatchObject({ autoUpdate: false })
  })

  test('the author of the instructions is in every answer that contains them', async () => {
    const { leader, author, member, change, seenBy } = await scene()
    for (const person of [author, leader, member]) {
      expect(await seenBy(person)).toMatchObject({ instructions: 'Be brief.', instructionsBy: named(author) })
    }
    const changed = (await change(leader, { instructions: 'Be long.' })).body.manuscript
    expect(changed).toMatchObject({ instructions: 'Be long.', instructionsBy: named(leader) })
    for (const person of [author, leader, member]) {
      expect(await seenBy(person)).toMatchObject({ instructionsBy: named(leader) })
    }
    await change(author, { instructions: 'Be brief again.' })
    expect(await seenBy(member)).toMatchObject({ instructionsBy: named(author) })
  })

  test('sending everything back unchanged changes nothing except actual edits', async () => {
    const { leader, author, change, seenBy } = await scene()
    const { title, description, trigger, instructions, autoUpdate } = await seenBy(leader)
    await change(leader, { title, trigger, instructions, autoUpdate, description: description ?? 'New' })
    expect(await seenBy(author)).toMatchObject({
      description: 'New',
      autoUpdate: true,
      instructionsBy: named(author),
    })
  })

  test('a row of the former version does not attribute to the author what a leader may have written', async () => {
    const { author, manuscript, seenBy } = await scene()
    const rows = server.running.opened.database.db.collection<{ _id: string }>('manuscripts')
    await rows.updateOne({ _id: manuscript.id }, { $unset: { instructionsBy: '' } })
    expect(await seenBy(author)).toMatchObject({ instructions: 'Be brief.', instructionsBy: null, autoUpdate: true })
    await rows.updateOne({ _id: manuscript.id }, { $set: { teamId: null } })
    expect(await seenBy(author)).toMatchObject({ instructionsBy: named(author) })
  })
})
