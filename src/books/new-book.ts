import type { Book, SourceType } from './book.ts'

type NewBookFields = Pick<Book, 'id' | 'ownerId' | 'title' | 'sourceType' | 'status' | 'createdAt'> & Partial<Book>

/** A book row with everything that is not known yet at its resting value. */
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
    ...fields,
  }
}

const fileFormats: Record<SourceType, { extensions: readonly string[]; contentTypes: readonly string[] }> = {
  pdf: { extensions: ['.pdf'], contentTypes: ['application/pdf'] },
  epub: { extensions: ['.epub'], contentTypes: ['application/epub+zip'] },
  markdown: { extensions: ['.md', '.markdown'], contentTypes: ['text/markdown', 'text/plain'] },
}

/** The format that a file name's ending stands for, or null. */
export function sourceTypeOf(filename: string): SourceType | null {
  const lower = filename.toLowerCase()
  const found = Object.entries(fileFormats).find(([, { extensions }]) => extensions.some((end) => lower.endsWith(end)))
  return found ? (found[0] as SourceType) : null
}

/** The content types under which a format may be sent; the first one is its own. */
export function contentTypesOf(sourceType: SourceType): readonly string[] {
  return fileFormats[sourceType].contentTypes
}
