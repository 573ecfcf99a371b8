import { createBookEvents } from '../../src/app/events.ts'
import type { Context } from '../../src/app/context.ts'

/** A context in which some services are others, also for what follows from changes of books. */
export function changedContext(ctx: Context, changes: Partial<Context>): Context {
  const changed = { ...ctx, ...changes }
  return { ...changed, bookEvents: createBookEvents(changed, ctx.log) }
}
