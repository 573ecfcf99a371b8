import { send, type Answer } from './transports.ts'
import type { Person, TestServer } from './server.ts'

/** Calls the team routes of a server as somebody, with a fresh rate bucket each time. */
export interface TeamDesk {
  call(person: Pick<Person, 'key'>, route: string, body?: unknown): Promise<Answer>
  /** A team with its owner; returns its id. */
  found(owner: Person, name?: string): Promise<string>
  /** Invites a person and accepts for them. */
  join(teamId: string, owner: Person, person: Person, role?: 'ADMIN' | 'MEMBER'): Promise<void>
  /** Puts a person into a team without asking them: quicker where joining is not what is tested. */
  seat(teamId: string, person: Pick<Person, 'id'>, role?: 'ADMIN' | 'MEMBER'): Promise<void>
  /** A department; returns its id. */
  department(teamId: string, owner: Person, name: string, members?: readonly Person[]): Promise<string>
  share(teamId: string, owner: Person, itemId: string, more?: object): Promise<Answer>
}

/** The token at the end of an invitation's address. */
export function tokenOf(url: string): string {
  return url.split('/').at(-1) ?? ''
}

/** The desk of a server; `route` is written `GET /teams`. */
export function teamDesk(server: TestServer): TeamDesk {
  const desk: TeamDesk = {
    async call({ key }, route, body) {
      const [method = '', path = ''] = route.split(' ')
      await server.running.open.database.db.collection('rates').deleteMany({})
      return send(server, key, { method, path: `/api/v1${path}`, body: method === 'GET' ? undefined : (body ?? {}) })
    },
    async found(owner, name = 'A team') {
      return accepted(await desk.call(owner, 'POST /teams', { name })).team.id
    },
    async join(teamId, owner, person, role = 'MEMBER') {
      const { invite } = accepted(
        await desk.call(owner, `POST /teams/${teamId}/members`, { email: person.email, role }),
      )
      accepted(await desk.call(person, `POST /invites/${tokenOf(invite.url)}/accept`))
    },
    async seat(teamId, { id: accountId }, role = 'MEMBER') {
      const { members, now } = server.running.open.services
      await members.add({ teamId, accountId, role, departments: [], joinedAt: now(), leavingAt: null })
    },
    async department(teamId, owner, name, members = []) {
      const { department } = accepted(await desk.call(owner, `POST /teams/${teamId}/departments`, { name }))
      for (const { email } of members) {
        accepted(await desk.call(owner, `POST /teams/${teamId}/departments/${department.id}/members`, { email }))
      }
      return department.id
    },
    share: (teamId, owner, itemId, more = {}) => desk.call(owner, `POST /teams/${teamId}/items`, { itemId, ...more }),
  }
  return desk
}

function accepted({ ok, status, body }: Answer): any {
  if (!ok) throw new Error(`Refused with ${status}: ${JSON.stringify(body)}`)
  return body
}
