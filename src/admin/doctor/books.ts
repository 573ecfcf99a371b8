import { isActive } from '../../imports/list-imports.ts'
import type { Book } from '../../books/book.ts'
import { pageId, pageRefs } from '../../reading/store.ts'
import type { VersionLayout } from '../../reading/purge-store.ts'
import { bookGroups, groupsOf, idsOf } from './groups.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

export const bookStates: Check = {
  name: 'books',
  invariant: 'every book is ready, has a live job, or has failed with a reason',
  async run({ services }) {
    const findings: Findings = []
    for await (const book of services.books.all()) {
      const problem = await stateProblem({ services }, book)
      if (problem) findings.push(`book ${book.id}: ${problem}`)
    }
    return findings
  },
}

async function stateProblem({ services }: Pick<DoctorContext, 'services'>, book: Book): Promise<string | null> {
  const { status, version, health, healthReason } = book
  if (status === 'READY') return version < 1 ? 'ready without content' : null
  if (status === 'FAILED') return healthReason === null ? 'failed without a reason' : null
  if (status === 'DRAFT') {
    return (await services.uploads.byItem(book.ownerId, book.id)) ? null : 'reserved without an upload'
  }
  if (health === 'stuck') return null
  const job = book.jobId === null ? null : await services.jobs.byId(book.ownerId, book.jobId)
  return job && isActive(job) ? null : 'being processed without a live job'
}

export const versions: Check = {
  name: 'versions',
  invariant:
    'versions are consecutive from 1, the newest is the current one, and every page is stored unless its version was removed',
  async run({ services }) {
    const findings: Findings = []
    for await (const group of bookGroups(services)) {
      const layouts = Map.groupBy(await services.contents.listLayouts(idsOf(group)), ({ itemId }) => itemId)
      for (const book of group)
        findings.push(...(await versionProblems({ services }, book, layouts.get(book.id) ?? [])))
    }
    return findings
  },
}

/** `layouts` are those of the book's versions, oldest first. */
async function versionProblems(
  { services }: Pick<DoctorContext, 'services'>,
  { id, version }: Book,
  layouts: readonly VersionLayout[],
): Promise<Findings> {
  const findings: Findings = []
  const published = layouts.filter((layout) => layout.version <= version)
  if (published.length !== version || published.some((layout, index) => layout.version !== index + 1)) {
    findings.push(`book ${id}: version ${version}, stored versions ${layouts.map((one) => one.version).join(', ')}`)
  }
  const stored = storedPages({ services }, id)
  for (const layout of published) {
    // A removed version has no text.
    if (!layout.purged) findings.push(...(await missingPages(layout, stored)))
  }
  return findings
}

/** Lists the stored pages of a revision, with a cache, because versions share most revisions. */
function storedPages({ services }: Pick<DoctorContext, 'services'>, itemId: string): StoredPages {
  const known = new Map<string, ReadonlySet<string>>()
  return async (revision) => {
    const ids = known.get(revision) ?? (await services.contents.storedPageIds(itemId, revision))
    known.set(revision, ids)
    return ids
  }
}

type StoredPages = (revision: string) => Promise<ReadonlySet<string>>

async function missingPages(layout: VersionLayout, storedIds: StoredPages): Promise<Findings> {
  const { itemId, version, pageCount, runs } = layout
  const subject = `book ${itemId} version ${version}`
  const refs = [...pageRefs(layout, 1, pageCount)]
  if (refs.length !== pageCount) return [`${subject}: ${pageCount} pages, ${refs.length} listed`]
  const findings: Findings = []
  for (const { revision, start, count } of runs) {
    const stored = await storedIds(revision)
    const ids = Array.from({ length: count }, (_, offset) => pageId(itemId, revision, start + offset))
    const missing = ids.filter((id) => !stored.has(id)).length
    if (missing > 0) findings.push(`${subject}: ${missing} pages of ${revision} are missing`)
  }
  return findings
}

export const strayPages: Check = {
  name: 'pages',
  invariant: 'every stored page belongs to a version, or to a running import or write',
  async run({ db, services }) {
    const findings: Findings = []
    const rows = db.collection<{ _id: string }>('pages').aggregate<{ _id: string; pages: number }>([
      {
        $project: {
          write: { $arrayElemAt: [{ $split: ['$_id', ':'] }, 1] },
          item: { $arrayElemAt: [{ $split: ['$_id', ':'] }, 0] },
        },
      },
      { $group: { _id: { $concat: ['$item', ':', '$write'] }, pages: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ])
    for await (const { _id, pages } of unknownRevisions({ services }, rows)) {
      const [itemId = '', revision = ''] = _id.split(':')
      if (await db.collection<{ _id: string }>('writes').findOne({ _id })) continue
      const jobId = revision.split('-')[0] as string
      const job = await db.collection<{ _id: string; status: string }>('jobs').findOne({ _id: jobId })
      const live = job?.status === 'PENDING' || job?.status === 'RUNNING'
      const run = revision.slice(0, revision.lastIndexOf('-'))
      if (await db.collection('recognitions').findOne({ runId: run, status: { $ne: 'DONE' } })) continue
      const creating = await db.collection('accounts').findOne({ 'pending.itemId': itemId })
      if (!live && !creating) findings.push(`${pages} pages of ${_id} belong to no version`)
    }
    return findings
  },
}

/** Number of stored pages by `book:revision`. */
interface StoredRevision {
  _id: string
  pages: number
}

/** The stored revisions that no version uses. */
async function* unknownRevisions(
  { services }: Pick<DoctorContext, 'services'>,
  rows: AsyncIterable<StoredRevision>,
): AsyncGenerator<StoredRevision> {
  for await (const group of groupsOf(rows)) {
    const books = new Set(group.map(({ _id }) => _id.split(':')[0] ?? ''))
    const layouts = await services.contents.listLayouts([...books])
    const known = new Set(layouts.flatMap(({ itemId, runs }) => runs.map(({ revision }) => `${itemId}:${revision}`)))
    yield* group.filter(({ _id }) => !known.has(_id))
  }
}
