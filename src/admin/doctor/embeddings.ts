import { systemOwner } from '../../books/book.ts'
import { allowsEmbeddings } from '../../embeddings/own-switch.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

/** Older parts belong to a book, or were left by a crash and should have been found by the next sweep, ms. */
const settledAfterMs = 2 * 60 * 60_000

let waiting = 0

/** Not a failure: while the service is unavailable, pages wait and can be found by their words. */
export const vectors: Check = {
  name: 'embeddings',
  invariant: 'all vectors belong to books whose owners allow them, and no page waits for one',
  caveat: () =>
    waiting === 0 ? null : `all vectors belong to books whose owners allow them; ${waiting} pages wait for theirs`,
  async run(context) {
    const { embeddings, now } = context.services
    waiting = await embeddings.countWaiting()
    const findings = await findForbidden(context)
    const stray = await embeddings.listStrayParts(new Date(now().getTime() - settledAfterMs))
    return stray.length === 0 ? findings : [...findings, `${stray.length} stored parts belong to no book`]
  },
}

/** Ignores marked books: a worker checks these and removes vectors if necessary. */
async function findForbidden({ services }: DoctorContext): Promise<Findings> {
  const { accounts, embeddings, books } = services
  const findings: Findings = []
  for await (const { id, ownerId, isMarked } of embeddings.states()) {
    if (isMarked) continue
    const [book] = await books.findOwned(ownerId, [id])
    const owner = await accounts.byId(ownerId)
    if (!book) findings.push(`book ${id} no longer exists, but its vectors do`)
    else if (ownerId !== systemOwner && !(owner && allowsEmbeddings(owner)))
      findings.push(`book ${id}: its owner allows no vectors`)
  }
  return findings
}
