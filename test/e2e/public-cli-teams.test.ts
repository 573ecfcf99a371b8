import { beforeAll, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { openPublicCli, publicCliNeed, type PublicCli } from '../support/public-cli.ts'
import type { Person } from '../support/server.ts'
import { describeWith } from '../support/system-needs.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let desk: TeamClient

beforeAll(() => {
  desk = createTeamClient(server)
})

const describeWithCli = describeWith(publicCliNeed)

/** Creates a person with the command line. */
async function person(): Promise<{ cli: PublicCli; me: Person }> {
  const me = await server.createPerson()
  return { me, cli: await openPublicCli(server, me.key) }
}

describeWithCli('the public command line administers teams', () => {
  test('their members and departments', async () => {
    const { cli, me } = await person()
    await cli.does(['team', 'list'], 'not a member of any team')
    await cli.refuses(['team', 'show'], 'not a member of any team')
    const team = await desk.createTeam(me, 'Guild')
    await cli.does(['team', 'list'], ['Guild  (owner)', team, /1\/\d+ seats · 0 depts · 0 docs/])
    const other = await server.createPerson()
    await cli.does(['team', 'invite', other.email], `Invited ${other.email} to Guild as member`)
    await cli.does(['team', 'invite', other.email, '--role', 'admin'], 'is already on Guild')
    await desk.addMember(team, other)
    expect(await cli.json(['team', 'invite', other.email])).toMatchObject({ alreadyExisted: true })
    await cli.does(['team', 'departments', 'list'], 'No departments yet')
    await cli.does(
      ['team', 'departments', 'create', 'Sales Team'],
      ['Created department Sales Team', 'slug: sales-team'],
    )
    await cli.does(['team', 'departments', 'create', 'Sales Team'], 'already exists (no change made)')
    expect(await cli.json(['team', 'departments', 'create', 'Press'])).toMatchObject({ created: true })
    await cli.does(['team', 'departments', 'add-member', 'sales-team', other.email], `Added ${other.email}`)
    await cli.does(['team', 'departments', 'add-member', 'sales-team', other.email], "already in 'sales-team'")
    await cli.does(
      ['team', 'departments', 'list'],
      ['sales-team  Sales Team · 1 member · 0 docs', 'press  Press · 0 members'],
    )
    expect((await cli.json(['team', 'departments', 'list'])).departments).toHaveLength(2)
    await cli.does(
      ['team', 'departments', 'rename', 'sales-team', 'Trade'],
      'Renamed department to Trade (slug: trade)',
    )
    await cli.does(
      ['team', 'show'],
      [`Guild  (${team})`, `${other.email} [member] · trade`, 'trade (1 member, 0 docs)'],
    )
    expect(await cli.json(['team', 'show', '--team', 'guild'])).toMatchObject({
      team: { id: team, memberCount: 2, departmentCount: 2 },
      members: [{ teamMemberId: expect.any(String) }, {}],
    })
    await cli.does(['team', 'departments', 'remove-member', 'trade', other.email], "from department 'trade'")
    await cli.does(['team', 'departments', 'remove-member', 'trade', other.email], "was not in 'trade' (no change)")
    await cli.refuses(['team', 'departments', 'delete', 'trade'], 'would remove 0 member assignments and revoke 0')
    await cli.does(['team', 'departments', 'delete', 'trade', '--confirm'], "Deleted department 'trade'")
    await cli.refuses(['team', 'remove', other.email], 'Re-run with --confirm')
    await cli.does(['team', 'remove', other.email, '--confirm'], `Removed ${other.email} from Guild`)
    await cli.refuses(['team', 'remove', other.email, '--confirm'], 'Not found')
    await desk.createTeam(me, 'Second')
    await cli.refuses(['team', 'show'], 'You belong to multiple teams')
    await cli.refuses(['team', 'show', '--team', 'Third'], "No team 'Third'")
  })

  test('and who reads what', async () => {
    const { cli, me } = await person()
    const team = await desk.createTeam(me, 'Guild')
    await desk.createDepartment(team, me, 'Sales')
    await desk.createDepartment(team, me, 'Press')
    const [soap, knots] = [
      await makeBook(server, me, { title: 'Soap' }),
      await makeBook(server, me, { title: 'Knots' }),
    ]
    await cli.does(['team', 'access', 'list'], 'No documents shared')
    await cli.does(['team', 'access', 'matrix'], 'No documents shared')
    await cli.does(['team', 'access', 'grant', soap], `Granted ${soap} to the whole team with read access`)
    await cli.does(['team', 'access', 'grant', soap], 'is already shared with this team')
    const granted = await cli.json(['team', 'access', 'grant', knots, '--dept', 'sales', '--access', 'write'])
    expect(granted).toMatchObject({
      accessLevel: 'WRITE',
      teamWide: false,
      department: { slug: 'sales', name: 'Sales' },
    })
    await cli.does(['team', 'access', 'list'], [`Knots  [write] → sales · ${knots}`, 'Soap  [read] → all members'])
    await cli.does(['team', 'access', 'matrix'], [/Document +press +sales +access/, /Knots +— +✓ +write · sales/])
    await cli.does(['team', 'access', 'matrix'], /Soap +✓ +✓ +read · team-wide/)
    expect((await cli.json(['team', 'access', 'matrix'])).documents).toHaveLength(2)
    await cli.does(['team', 'access', 'scope', soap, '--dept', 'press'], "now scoped to department 'press'")
    await cli.does(['team', 'access', 'scope', soap, '--team-wide'], 'now shared team-wide')
    await cli.does(['team', 'access', 'level', soap, '--access', 'write'], `write access for ${soap} set to write`)
    await cli.does(['team', 'show'], ['Knots [write] → sales', 'sales (0 members, 1 doc)'])
    expect(await cli.json(['team', 'list'])).toMatchObject({ teams: [{ departmentCount: 2, itemCount: 2 }] })
    await cli.refuses(['team', 'departments', 'delete', 'sales'], 'revoke 1 department-scoped doc')
    await cli.refuses(['team', 'access', 'revoke', soap], 'Re-run with --confirm')
    await cli.does(['team', 'access', 'revoke', soap, '--confirm'], `Revoked ${soap} from Guild`)
    await cli.does(['team', 'access', 'revoke', soap, '--confirm'], 'was not shared with this team')
  })
})
