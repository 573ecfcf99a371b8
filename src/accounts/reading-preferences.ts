import { z } from 'zod'
import type { Account } from '../core/account.ts'
import type { Call } from '../core/context.ts'
import type { AccountStores } from './store.ts'

/** Reading preferences. */
export const ReadingPreferences = z.object({
  /** Font size, from 1 (small) to 5 (large). */
  size: z.coerce.number().pipe(z.int().min(1).max(5)).default(3),
  theme: z.enum(['system', 'light', 'dark', 'sepia']).default('system'),
  width: z.enum(['narrow', 'normal', 'wide']).default('normal'),
  /** `text` shows rendered text; `stored` shows it character by character. */
  as: z.enum(['text', 'stored']).default('text'),
  /** `off` disables the keys without a modifier that type a character, which speech input can press by mistake. */
  keys: z.enum(['on', 'off']).default('on'),
})
export type ReadingPreferences = z.infer<typeof ReadingPreferences>

const defaults = ReadingPreferences.parse({})

/** The reading preferences of an account; the defaults if nothing is chosen, as in rows of earlier versions. */
export function readingPreferencesOf({ reading }: Pick<Account, 'reading'>): ReadingPreferences {
  const parsed = ReadingPreferences.safeParse(reading ?? {})
  return parsed.success ? parsed.data : defaults
}

/** Stores the caller's reading preferences, for all devices. */
export async function changeReadingPreferences(ctx: Call & AccountStores, reading: ReadingPreferences): Promise<void> {
  await ctx.accounts.change(ctx.actor.id, { reading })
}
