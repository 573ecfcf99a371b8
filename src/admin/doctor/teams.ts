import type { Member } from '../../teams/member-store.ts'
import type { Share } from '../../teams/share-store.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

export const teams: Check = {
  name: 'teams',
  invariant:
    'every team has an owner, and all members, departments, invitations and manuscripts refer to existing data',
  async run(context) {
    const { services } = context
    // Read before the teams, because a team may be created during the check.
    const departments = await toArray(services.departments.all())
    const invites = await toArray(services.invites.all())
    const manuscripts = await toArray(services.manuscripts.all())
    const known = await loadRoster(context)
    const findings: Findings = []
    for await (const { id, ownerIds, pending } of services.teams.all()) {
      if (pending) continue
      const owners = ownerIds.filter((accountId) => known.members.get(`${id}:${accountId}`)?.role === 'OWNER')
      if (owners.length === 0) findings.push(`team ${id} has no owner`)
      for (const accountId of ownerIds.filter((each) => !owners.includes(each))) {
        findings.push(`team ${id}: account ${accountId} is listed as owner but has no such membership`)
      }
    }
    findings.push(...strayMembers(known))
    for (const { id, teamId } of departments) {
      if (!known.teams.has(teamId)) findings.push(`department ${id}: team ${teamId} does not exist`)
    }
    for (const { id, teamId } of invites) {
      if (!known.teams.has(teamId)) findings.push(`invitation ${id}: team ${teamId} does not exist`)
    }
    for (const { id, teamId, accountId, shareDueAt } of manuscripts) {
      if (teamId === null || shareDueAt) continue
      if (!known.members.has(`${teamId}:${accountId}`)) findings.push(`manuscript ${id}: its author is not in its team`)
    }
    return findings
  },
}

export const shares: Check = {
  name: 'shares',
  invariant: 'every shared book and its departments exist, and its owner is a member of the team',
  async run(context) {
    const shared = await toArray(context.services.shares.all())
    const known = await loadRoster(context)
    const owners = new Map<string, string>()
    for await (const { id, ownerId } of context.services.books.all()) owners.set(id, ownerId)
    const findings: Findings = []
    for (const share of shared) {
      const problem = shareProblem(share, known, owners.get(share.itemId))
      // Excludes shares that ended during the check.
      const still = problem && (await context.services.shares.find(share.teamId, share.itemId))
      if (still) findings.push(`book ${share.itemId}, shared with team ${share.teamId}: ${problem}`)
    }
    return findings
  },
}

interface Roster {
  /** Team ids, including pending teams. */
  teams: ReadonlySet<string>
  /** Keys `team:account`, including leaving members. */
  members: ReadonlyMap<string, Member>
  /** Keys `team:department`, including departments being removed. */
  departments: ReadonlySet<string>
  accounts: ReadonlySet<string>
}

async function loadRoster({ db, services }: DoctorContext): Promise<Roster> {
  const members = new Map<string, Member>()
  for await (const member of services.members.all()) members.set(`${member.teamId}:${member.accountId}`, member)
  const departments = new Set<string>()
  for await (const { id, teamId } of services.departments.all()) departments.add(`${teamId}:${id}`)
  const teamIds = new Set<string>()
  for await (const { id } of services.teams.all()) teamIds.add(id)
  const accounts = new Set<string>()
  const rows = db.collection<{ _id: string }>('accounts').find({}, { projection: { _id: 1 } })
  for await (const { _id } of rows) accounts.add(_id)
  return { teams: teamIds, members, departments, accounts }
}

async function toArray<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

function strayMembers({ teams: teamIds, members, departments, accounts }: Roster): Findings {
  return [...members.values()].flatMap((member) => {
    const { teamId, accountId } = member
    const subject = `member ${accountId} of team ${teamId}`
    if (!teamIds.has(teamId)) return [`${subject}: the team does not exist`]
    if (!accounts.has(accountId)) return [`${subject}: the account does not exist`]
    const missing = member.departments.filter((id) => !departments.has(`${teamId}:${id}`))
    return missing.map((id) => `${subject}: department ${id} does not exist`)
  })
}

function shareProblem(share: Share, known: Roster, ownerId: string | undefined): string | null {
  const { teamId, departments } = share
  if (ownerId === undefined) return 'the book does not exist'
  if (share.ownerId !== ownerId) return `it is not ${share.ownerId}'s book`
  if (!known.teams.has(teamId)) return 'the team does not exist'
  if (!known.members.has(`${teamId}:${ownerId}`)) return 'its owner is not in the team'
  const missing = departments.find((id) => !known.departments.has(`${teamId}:${id}`))
  return missing === undefined ? null : `department ${missing} does not exist`
}
