import { listImports, type ImportState } from '../../../imports/list-imports.ts'
import type { StreamEntry } from '../../../transport/event-streams.ts'
import { errorResponse } from '../../../transport/refusals.ts'
import { describeImport, type ImportWords } from '../../components/import-status.ts'
import { requireSession, type SignedInVisit } from '../../visit.ts'

interface ImportEvent extends StreamEntry, ImportWords {
  status: ImportState['status']
  /** The title of the book once it is known; until then it is derived from the file name. */
  title?: string
}

const dayMs = 24 * 60 * 60 * 1000
/**
 * When the stream opens, imports that ended in this time are reported once; later reads only need the latest changes,
 * ms.
 */
const firstSpanMs = 7 * dayMs
const laterSpanMs = 60_000
const maxEnded = 100

/**
 * Opens a stream of server-sent events with the progress of the account's imports, in the words of the pages. It ends
 * with the session. Refuses with RATE_LIMITED if the account has too many open streams, including those over REST.
 */
export function openImportEvents(visit: SignedInVisit): Promise<Response> {
  const { site, request, requestState, signedIn, ctx } = visit
  let spanMs = firstSpanMs
  return site.streams.open({
    accountId: signedIn.actor.id,
    eventName: 'import',
    async read() {
      await requireSession(visit)
      const changedSince = new Date(ctx.now().getTime() - spanMs)
      spanMs = laterSpanMs
      return toEvents(ctx, await listImports(ctx, { changedSince, limit: maxEnded }))
    },
    lastEventId: request.headers.get('last-event-id'),
    signal: request.signal,
    // An error that ends a stream is logged like one that refuses a request.
    onError: (error) => void errorResponse(error, requestState),
  })
}

async function toEvents(ctx: SignedInVisit['ctx'], states: readonly ImportState[]): Promise<ImportEvent[]> {
  const ready = states.filter(({ status }) => status === 'SUCCEEDED').map(({ itemId }) => itemId)
  const books = ready.length === 0 ? [] : await ctx.books.findOwned(ctx.actor.id, [...new Set(ready)])
  const titles = new Map(books.map(({ id, title }) => [id, title]))
  return states.map((state) => {
    const { id, updatedAt, status, itemId } = state
    const title = titles.get(itemId)
    return { id, updatedAt, status, ...describeImport(state), ...(title !== undefined && { title }) }
  })
}
