import { cutRows, fitsWhole } from '../core/pagination.ts'
import { readableManuscripts } from './find-manuscript.ts'
import type { ListManuscripts, ManuscriptList } from './schema.ts'
import { fitManuscript, showManuscripts } from './present-manuscript.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ManuscriptStores } from './store.ts'
import type { MemberStores } from '../teams/member-store.ts'

/** The caller's manuscripts and those of their teams that they may read, newest first; part by part where they are too long for an answer. */
export async function listManuscripts(
  ctx: Call & BookAccessStores & ManuscriptStores & MemberStores,
  { status, ...part }: ListManuscripts,
): Promise<ManuscriptList> {
  const manuscripts = await showManuscripts(ctx, await readableManuscripts(ctx, status))
  if (fitsWhole(ctx, part, { manuscripts })) return { manuscripts }
  const fitting = manuscripts.map((manuscript) => fitManuscript(ctx, manuscript))
  const { rows, ...place } = cutRows(ctx, fitting, part)
  return { manuscripts: rows, ...place }
}
