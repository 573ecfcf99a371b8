import { sliceRows, fitsEntirely } from '../core/pagination.ts'
import { listReadableManuscripts } from './find-manuscript.ts'
import type { ListManuscripts, ManuscriptList } from './schema.ts'
import { fitManuscript, presentManuscripts } from './present-manuscript.ts'
import type { Call } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ManuscriptStores } from './store.ts'
import type { MemberStores } from '../teams/member-store.ts'

/**
 * The caller's manuscripts and those of their teams whose books they may read, newest first. Paginated if the list
 * exceeds the budget.
 */
export async function listManuscripts(
  ctx: Call & AccountStores & BookAccessStores & ManuscriptStores & MemberStores,
  { status, ...slice }: ListManuscripts,
): Promise<ManuscriptList> {
  const manuscripts = await presentManuscripts(ctx, await listReadableManuscripts(ctx, status))
  if (fitsEntirely(ctx, slice, { manuscripts })) return { manuscripts }
  const fitted = manuscripts.map((manuscript) => fitManuscript(ctx, manuscript))
  const { rows, ...pagination } = sliceRows(ctx, fitted, slice)
  return { manuscripts: rows, ...pagination }
}
