import type { z } from 'zod'
import type { SignedInVisit } from './visit.ts'

/** Calls a tool as the signed-in account: checks its scope, rate bucket, input and output. */
export async function callToolForVisit<S extends z.ZodType>(
  { site, ctx }: Pick<SignedInVisit, 'site' | 'ctx'>,
  { name, raw = {}, idempotencyKey = null }: { name: string; raw?: unknown; idempotencyKey?: string | null },
  output: S,
): Promise<z.output<S>> {
  const tool = site.tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`There is no tool ${name}`)
  return output.parse(await tool.call(ctx, async () => ({ raw, idempotencyKey })))
}
