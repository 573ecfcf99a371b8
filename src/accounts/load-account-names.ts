import type { Call } from '../core/context.ts'
import type { AccountStore } from './store.ts'

/** The part of the account store that has the names. */
export interface AccountNameStores {
  accounts: Pick<AccountStore, 'byIds'>
}

/** Loads display names of accounts. The system is `Lectern`; an erased account is `a former user`. */
export async function loadAccountNames(
  { accounts, actor }: Pick<Call, 'actor'> & AccountNameStores,
  ids: readonly string[],
): Promise<(id: string) => string> {
  const names = new Map([
    [actor.id, actor.account.name],
    ['system', 'Lectern'],
  ])
  const missingIds = [...new Set(ids)].filter((id) => !names.has(id))
  const found = missingIds.length > 0 ? await accounts.byIds(missingIds) : []
  for (const { id, name } of found) names.set(id, name)
  return (id) => names.get(id) ?? 'a former user'
}
