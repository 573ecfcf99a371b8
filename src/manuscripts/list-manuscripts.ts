import type { Context } from '../context.ts'
import { cutRows, fitsWhole } from '../listing.ts'
import type { ListManuscripts, ManuscriptList } from './schema.ts'
import { fitManuscript, showManuscripts } from './show-manuscript.ts'

/** The caller's manuscripts, newest first; part by part where they are too long for an answer. */
export async function listManuscripts(ctx: Context, { status, ...part }: ListManuscripts): Promise<ManuscriptList> {
  const manuscripts = await showManuscripts(ctx, await ctx.manuscripts.list(ctx.actor.id, status))
  if (fitsWhole(ctx, part, { manuscripts })) return { manuscripts }
  const fitting = manuscripts.map((manuscript) => fitManuscript(ctx, manuscript))
  const { rows, ...place } = cutRows(ctx, fitting, part)
  return { manuscripts: rows, ...place }
}
