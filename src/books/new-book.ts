import type { Book, SourceType } from './book.ts'
import { sortKeysOf } from './sort-keys.ts'

type NewBookFields = Pick<Book, 'id' | 'ownerId' | 'title' | 'sourceType' | 'status' | 'createdAt'> & Partial<Book>

/** Builds a book with the default value for every field that is not given. */
export function newBook(fields: NewBookFields): Book {
  return {
    description: null,
    author: null,
    health: 'ok',
    healthReason: null,
    needsEnrichment: false,
    enrichmentConfidence: 0,
    pageCount: 0,
    version: 0,
    contentUpdatedAt: fields.createdAt,
    proOnly: false,
    featuredUntil: null,
    freeUntil: null,
    language: null,
    publisher: null,
    isbn: null,
    original: null,
    jobId: null,
    tocId: null,
    prompts: [],
    sampleQuestion: null,
    outcomes: [],
    enrichedAt: null,
    metadataConfirmedAt: null,
    indexDue: 'new',
    updatedAt: fields.createdAt,
    ...sortKeysOf({ author: null, ...fields }),
    ...fields,
  }
}

const fileFormats: Record<SourceType, { extensions: readonly string[]; contentTypes: readonly string[] }> = {
  pdf: { extensions: ['.pdf'], contentTypes: ['application/pdf'] },
  epub: { extensions: ['.epub'], contentTypes: ['application/epub+zip'] },
  markdown: { extensions: ['.md', '.markdown'], contentTypes: ['text/markdown', 'text/plain'] },
}

/** The format of a file name's extension; null: not supported. */
export function sourceTypeOf(filename: string): SourceType | null {
  const lower = filename.toLowerCase()
  const found = Object.entries(fileFormats).find(([, { extensions }]) => extensions.some((end) => lower.endsWith(end)))
  return found ? (found[0] as SourceType) : null
}

/** The accepted content types of a format, its own first. */
export function contentTypesOf(sourceType: SourceType): readonly string[] {
  return fileFormats[sourceType].contentTypes
}
