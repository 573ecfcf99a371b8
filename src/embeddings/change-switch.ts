import type { Call } from '../core/context.ts'
import type { NoInput } from '../accounts/schema.ts'
import { markOutdated, type MarkServices } from './mark-book.ts'
import { allowsEmbeddings } from './own-switch.ts'
import type { ChangeMeaningSearch, MeaningSearch } from './schema.ts'

/** Whether search by meaning is on for the caller's books, and whether this server supports it. */
export async function getMeaningSearch({ actor, embedder }: Call & MarkServices, _: NoInput): Promise<MeaningSearch> {
  return { enabled: allowsEmbeddings(actor.account), available: embedder !== null }
}

/**
 * Switches search by meaning off or on for the caller's books. When off, none of their text is sent any more, and their
 * vectors are removed before this returns. Idempotent.
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
