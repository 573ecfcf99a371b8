import type { Call } from '../core/context.ts'
import type { NoInput } from '../accounts/schema.ts'
import { markOutdated, type MarkServices } from './mark-book.ts'
import { allowsEmbeddings } from './own-switch.ts'
import type { ChangeMeaningSearch, MeaningSearch } from './schema.ts'

/** Whether pages of the caller's books are found by meaning too, and whether this server can. */
export async function getMeaningSearch({ actor, embedder }: Call & MarkServices, _: NoInput): Promise<MeaningSearch> {
  return { enabled: allowsEmbeddings(actor.account), available: embedder !== null }
}

/**
 * Switches the search by meaning off or on for the caller's books. Off: nothing of them is sent any more, and what was made of them is
 * removed before this returns. Idempotent.
 */
export async function changeMeaningSearch(
  ctx: Call & MarkServices,
  { enabled }: ChangeMeaningSearch,
): Promise<MeaningSearch> {
  const { id } = ctx.actor.account
  await ctx.accounts.change(id, { embeddings: enabled ? 'on' : 'off' })
  if (enabled) await markOutdated(ctx, id)
  else await ctx.embeddings.removeOwner(id)
  return { enabled, available: ctx.embedder !== null }
}
