import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import type { Context, Services } from '../../src/app/context.ts'
import { createLog } from '../../src/app/log.ts'
import type { Person } from './server.ts'

/** A context in which a test acts for an account, without a transport and rate limits. */
export async function contextOf(
  server: { running: { opened: { services: Services } } },
  { id }: Pick<Person, 'id'>,
): Promise<Context> {
  const { services } = server.running.opened
  const account = await services.accounts.byId(id)
  if (!account) throw new Error(`There is no account ${id}`)
  return createAccountContext({ services, log: createLog('silent') }, account)
}
