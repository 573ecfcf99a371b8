import { z } from 'zod'
import type { Account } from '../core/account.ts'
import type { Call } from '../core/context.ts'
import type { AccountStores } from './store.ts'

/** How somebody likes to read. */
export const ReadingPreferences = z.object({
  /** The size of the text, from small to large. */
  size: z.coerce.number().pipe(z.int().min(1).max(5)).default(3),
  theme: z.enum(['system', 'light', 'dark', 'sepia']).default('system'),
  width: z.enum(['narrow', 'normal', 'wide']).default('normal'),
  /** `text` sets the page; `stored` shows it character by character. */
  as: z.enum(['text', 'stored']).default('text'),
})
export type ReadingPreferences = z.infer<typeof ReadingPreferences>

const defaults = ReadingPreferences.parse({})

/** The preferences of an account; the defaults where it has chosen nothing, as in rows of former versions. */
export function readingPreferencesOf({ reading }: Pick<Account, 'reading'>): ReadingPreferences {
  const parsed = ReadingPreferences.safeParse(reading ?? {})
  return parsed.success ? parsed.data : defaults
}

/** Keeps how the caller likes to read, on every device. */
export async function changeReadingPreferences(ctx: Call & AccountStores, reading: ReadingPreferences): Promise<void> {
  await ctx.accounts.change(ctx.actor.id, { reading })
}
