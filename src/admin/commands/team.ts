import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { createTeamWithOwner } from '../../teams/create-team.ts'
import { Name } from '../../teams/schema.ts'
import { byCommand, defineCommand } from './command.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { oneOf } from './option-types.ts'

export const teamCreate = defineCommand({
  name: 'team create',
  usage: '--name N --owner E',
  summary: 'Create a team. The given account becomes its owner.',
  options: z.strictObject({ name: Name, owner: Email }),
  async run({ services }, { name, owner }) {
    const account = await findAccountByEmail(services, owner)
    const id = await createTeamWithOwner(services, { id: newId(services.now()), name, ownerId: account.id })
    await services.audit.record({
      type: 'team_created',
      by: byCommand,
      accountId: account.id,
      detail: { team: id },
    })
    return { json: { id, name }, text: id, remarks: [`Team ${name}, owned by ${account.email}`] }
  },
})

export const teamSubscription = defineCommand({
  name: 'team subscription',
  usage: '--team ID --active BOOL',
  summary:
    'Turn the subscription of a team on or off. Without it, no new books can be shared; shared books stay shared.',
  options: z.strictObject({ team: z.string().min(1), active: oneOf(['true', 'false']) }),
  async run({ services }, { team: id, active }) {
    const subscriptionActive = active === 'true'
    const changed = await services.teams.change(id, { subscriptionActive })
    const team = changed ? await services.teams.byId(id) : null
    if (!team) throw new AppError('NOT_FOUND', `No team ${id}. To create one: lectern team create`)
    await services.audit.record({
      type: 'team_subscription_changed',
      by: byCommand,
      accountId: null,
      detail: { team: id, active: subscriptionActive },
    })
    const text = `The subscription of ${team.name} is ${subscriptionActive ? 'active' : 'off'}`
    return { json: { id, name: team.name, subscriptionActive }, text }
  },
})
