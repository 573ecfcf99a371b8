export type Role = 'OWNER' | 'ADMIN' | 'MEMBER'

/** A person's place in a team. */
export interface Member {
  teamId: string
  accountId: string
  role: Role
  /** Ids of the departments that the person is in. */
  departments: string[]
  joinedAt: Date
}

/** Members on MongoDB: collection `members`, one row for each team and person. */
export type MemberRow = Member & { _id: string }
