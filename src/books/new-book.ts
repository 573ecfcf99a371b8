import type { Book } from './book.ts'
import { sortKeysOf } from './sort-keys.ts'

type NewBookFields = Pick<Book, 'id' | 'ownerId' | 'title' | 'sourceType' | 'status' | 'createdAt'> & Partial<Book>

/** Creates a book, with default values for all fields that are not given. */
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
