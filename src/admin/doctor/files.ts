import { createHash } from 'node:crypto'
import { fileFolders } from '../../books/remove-book.ts'
import type { FileStore } from '../../files/store.ts'
import { figureOwner } from '../../reading/figure-files.ts'
import type { VersionLayout } from '../../reading/purge-store.ts'
import { pageRefs } from '../../reading/store.ts'
import { findFigureMarkers } from '../../text/figure-markers.ts'
import { bookGroups, idsOf } from './groups.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

const dayMs = 24 * 60 * 60 * 1000

export const originals: Check = {
  name: 'originals',
  invariant: 'every imported book has its complete original file',
  async run({ services, deep }) {
    const findings: Findings = []
    for await (const { id, original } of services.books.all()) {
      if (!original) continue
      const found = await services.files.head(original.storageKey)
      if (!found) findings.push(`book ${id}: its file ${original.storageKey} is missing`)
      else if (found.bytes !== original.bytes)
        findings.push(`book ${id}: its file has ${found.bytes} of ${original.bytes} bytes`)
      else if (
        deep &&
        original.sha256 !== null &&
        (await sha256(services.files, original.storageKey)) !== original.sha256
      ) {
        findings.push(`book ${id}: the content of its file has changed`)
      }
    }
    return findings
  },
}

async function sha256(files: FileStore, key: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of files.read(key)) hash.update(chunk)
  return hash.digest('hex')
}

export const strayFiles: Check = {
  name: 'files',
  invariant: 'every stored file belongs to a book or a deleted one that can be brought back, or is less than a day old',
  async run({ services }) {
    const [known, books] = [new Set<string>(), new Set<string>()]
    for await (const { id, original, ownCover } of services.books.all()) {
      books.add(id)
      for (const file of [original, ownCover]) if (file) known.add(file.storageKey)
    }
    for await (const { book } of services.bin.all())
      for (const file of [book.original, book.ownCover]) if (file) known.add(file.storageKey)
    const findings: Findings = []
    const figures = knownFigures(services)
    const uploadCutoff = services.now().getTime() - dayMs
    for (const folder of Object.values(fileFolders)) {
      for await (const { key, modifiedAt } of services.files.list(`${folder}/`)) {
        const belongs =
          folder === fileFolders.pictures
            ? books.has(key.split('/')[1] ?? '')
            : folder === fileFolders.figures
              ? await figures.has(key)
              : known.has(key)
        if (!belongs && modifiedAt.getTime() < uploadCutoff) findings.push(`file ${key} belongs to no book`)
      }
    }
    return findings
  },
}

/** Checks whether the file of a figure belongs to a stored version; files arrive in the order of their books. */
function knownFigures({ contents }: DoctorContext['services']) {
  let [bookId, revisions] = ['', new Set<string | undefined>()]
  return {
    async has(key: string): Promise<boolean> {
      const { itemId, revision } = figureOwner(key)
      if (itemId !== bookId) {
        const layouts = await contents.listLayouts([itemId])
        revisions = new Set(layouts.filter(({ purged }) => !purged).map(({ figures }) => figures?.revision))
        bookId = itemId
      }
      return revisions.has(revision)
    },
  }
}

const pagesPerBatch = 200

export const figures: Check = {
  name: 'figures',
  invariant: 'every figure that the current text of a book names is stored',
  async run({ services: { books, contents } }) {
    const findings: Findings = []
    for await (const group of bookGroups({ books })) {
      const versions = new Map(group.map(({ id, version }) => [id, version]))
      for (const layout of await contents.listLayouts(idsOf(group))) {
        if (layout.version !== versions.get(layout.itemId) || layout.figures === null) continue
        const missing = await missingFigures(contents, layout, layout.figures.revision)
        if (missing.size > 0)
          findings.push(`book ${layout.itemId}: ${missing.size} figures are missing: ${[...missing].join(', ')}`)
      }
    }
    return findings
  },
}

/** The ids of figures that pages refer to and that are not stored. */
async function missingFigures(
  contents: DoctorContext['services']['contents'],
  layout: VersionLayout,
  revision: string,
): Promise<Set<string>> {
  const stored = new Set((await contents.figures.list(layout.itemId, revision)).map((figure) => figure.id))
  const missing = new Set<string>()
  for (let from = 1; from <= layout.pageCount; from += pagesPerBatch) {
    const last = Math.min(layout.pageCount, from + pagesPerBatch - 1)
    for (const { content } of await contents.passPages([...pageRefs(layout, from, last)]))
      for (const marker of findFigureMarkers(content)) if (!stored.has(marker.id)) missing.add(marker.id)
  }
  return missing
}
