import { newId } from '../../src/core/ids.ts'
import { maxDepartments } from '../../src/teams/create-department.ts'
import { send, type ToolResponse } from './transports.ts'
import type { Person, TestServer } from './server.ts'

/** Calls the team routes of a server for a person, with a new rate bucket each time. */
export interface TeamClient {
  call(person: Pick<Person, 'key'>, route: string, body?: unknown): Promise<ToolResponse>
  /** Creates a team with its owner; returns its id. */
  createTeam(owner: Person, name?: string): Promise<string>
  /** Invites a person and accepts for them. */
  inviteAndAccept(teamId: string, owner: Person, person: Person, role?: 'ADMIN' | 'MEMBER'): Promise<void>
  /** Adds a person to a team directly, which is faster if joining is not tested. */
  addMember(teamId: string, person: Pick<Person, 'id'>, role?: 'ADMIN' | 'MEMBER'): Promise<void>
  /** Creates a department; returns its id. */
  createDepartment(teamId: string, owner: Person, name: string, members?: readonly Person[]): Promise<string>
  shareItem(teamId: string, owner: Person, itemId: string, more?: object): Promise<ToolResponse>
}

/** The token at the end of an invitation URL. */
export function tokenOf(url: string): string {
  return url.split('/').at(-1) ?? ''
}

/** The team client of a server; `route` has the form `GET /teams`. */
export function createTeamClient(server: TestServer): TeamClient {
  const client: TeamClient = {
    async call({ key }, route, body) {
      const [method = '', path = ''] = route.split(' ')
      await server.running.opened.database.db.collection('rates').deleteMany({})
      return send(server, key, { method, path: `/api/v1${path}`, body: method === 'GET' ? undefined : (body ?? {}) })
    },
    async createTeam(owner, name = 'A team') {
      return unwrap(await client.call(owner, 'POST /teams', { name })).team.id
    },
    async inviteAndAccept(teamId, owner, person, role = 'MEMBER') {
      const { invite } = unwrap(
        await client.call(owner, `POST /teams/${teamId}/members`, { email: person.email, role }),
      )
      unwrap(await client.call(person, `POST /invites/${tokenOf(invite.url)}/accept`))
    },
    async addMember(teamId, { id: accountId }, role = 'MEMBER') {
      const { members, now } = server.running.opened.services
      await members.add({ teamId, accountId, role, departments: [], joinedAt: now(), leavingAt: null })
    },
    async createDepartment(teamId, owner, name, members = []) {
      const { department } = unwrap(await client.call(owner, `POST /teams/${teamId}/departments`, { name }))
      for (const { email } of members) {
        unwrap(await client.call(owner, `POST /teams/${teamId}/departments/${department.id}/members`, { email }))
      }
      return department.id
    },
    shareItem: (teamId, owner, itemId, more = {}) =>
      client.call(owner, `POST /teams/${teamId}/items`, { itemId, ...more }),
  }
  return client
}

function unwrap({ ok, status, body }: ToolResponse): any {
  if (!ok) throw new Error(`Refused with ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Gives a team, directly in the store, as many departments as a team can have. */
export async function fillDepartments(server: TestServer, teamId: string): Promise<void> {
  const { departments } = server.running.opened.services
  for (let n = (await departments.list(teamId)).length; n < maxDepartments; n++) {
    const [name, slug, createdAt] = [`Department ${n}`, `department-${n}`, new Date()]
    await departments.add({ id: newId(createdAt), teamId, name, slug, createdAt, removingAt: null })
  }
}
