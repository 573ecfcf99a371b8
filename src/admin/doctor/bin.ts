import { binMs } from '../../books/bin.ts'
import type { BinnedBook } from '../../books/bin-store.ts'
import { sumStoredBytes } from '../../reading/stored-bytes.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

const dayMs = 24 * 60 * 60 * 1000

export const bin: Check = {
  name: 'bin',
  invariant: 'every deleted book is complete and inaccessible, and is erased within a day after its retention period',
  async run(context) {
    const findings: Findings = []
    for await (const entry of context.services.bin.all()) {
      // Operations in progress are in an intermediate state.
      if (await isRunning(context, entry)) continue
      for (const problem of await problemsOf(context, entry)) findings.push(`deleted book ${entry.id}: ${problem}`)
    }
    return findings
  },
}

async function isRunning({ services }: DoctorContext, { ownerId, id, state }: BinnedBook): Promise<boolean> {
  const account = await services.accounts.byId(ownerId)
  return state === 'erasing' || (account?.pending.some(({ itemId }) => itemId === id) ?? false)
}

async function problemsOf({ db, services }: DoctorContext, entry: BinnedBook): Promise<string[]> {
  const { id, ownerId, book, state, deletedAt } = entry
  const problems: string[] = []
  if ((await services.books.byIds([id])).length > 0) problems.push('it is in the library too')
  if (state !== 'kept') problems.push(`${state}, and no account has a pending change for it`)
  if (services.now().getTime() - deletedAt.getTime() > binMs + dayMs) problems.push('it should have been erased')
  for (const collection of ['placements', 'shares', 'listings', 'subscriptions', 'jobs', 'gaps']) {
    if (await db.collection(collection).findOne({ itemId: id })) problems.push(`it still has rows in ${collection}`)
  }
  const versions = await services.contents.listVersions(id)
  if (versions.filter(({ version }) => version <= book.version).length !== book.version)
    problems.push(`${book.version} versions are counted, ${versions.length} stored`)
  const file = book.original && (await services.files.head(book.original.storageKey))
  if (book.original && file?.bytes !== book.original.bytes) problems.push('its file is missing or not complete')
  const due = versions.some(({ purgedAt }) => purgedAt !== undefined)
  const sum = book.storedBytes === undefined || due ? book.storedBytes : (await sumStoredBytes(services, [book]))[0]
  if (sum !== book.storedBytes) problems.push(`${book.storedBytes} bytes are counted, ${sum} stored`)
  if ((await services.search.books.find(ownerId, [id])).length > 0) problems.push('it is still in the search index')
  return problems
}
