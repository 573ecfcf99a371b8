import { z } from 'zod'
import type { Call } from '../core/context.ts'
import { AccountName } from './credentials-schema.ts'
import type { AccountStores } from './store.ts'

/** A new name for an account. */
export const RenameAccount = z.object({ name: AccountName.pipe(z.string().min(1, 'Enter your name.')) })
export type RenameAccount = z.infer<typeof RenameAccount>

/** Changes the caller's name, which the members of their teams and the readers of their published books see. */
export async function renameAccount(ctx: Call & AccountStores, { name }: RenameAccount): Promise<void> {
  await ctx.accounts.change(ctx.actor.id, { name })
}
