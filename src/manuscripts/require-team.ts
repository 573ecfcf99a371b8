import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'

/** Refuses a team that the caller is not a member of with NOT_TEAM_MEMBER. There are no teams yet, so that is each one. */
export async function requireTeam(_ctx: Context, teamId: string | undefined): Promise<void> {
  if (teamId !== undefined) throw new AppError('NOT_TEAM_MEMBER', `You are not a member of team ${teamId}`)
}
