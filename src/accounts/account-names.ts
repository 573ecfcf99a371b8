import type { Context } from '../context.ts'

/** Tells the names of accounts to people; the system and accounts that are gone have names too. */
export async function accountNames(
  { accounts, actor }: Pick<Context, 'accounts' | 'actor'>,
  ids: readonly string[],
): Promise<(id: string) => string> {
  const names = new Map([
    [actor.id, actor.account.name],
    ['system', 'Lectern'],
  ])
  for (const id of new Set(ids)) {
    if (!names.has(id)) names.set(id, (await accounts.byId(id))?.name ?? 'a former user')
  }
  return (id) => names.get(id) ?? 'a former user'
}
