import { createBookEvents } from '../../src/app/events.ts'
import type { Context } from '../../src/app/context.ts'

/** A context with some services replaced, also for the events that changes of books trigger. */
export function changedContext(ctx: Context, changes: Partial<Context>): Context {
  const changed = { ...ctx, ...changes }
  return { ...changed, bookEvents: createBookEvents(changed, ctx.log) }
}
