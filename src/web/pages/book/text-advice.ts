import type { Book } from '../../../books/book.ts'
import { isUnwritten } from '../../../books/text-health.ts'
import { confirmationAdvice, recognitionWords } from '../../components/import-advice.ts'

/** The meaning of a book's text health, and what its owner can do. */
export interface TextAdvice {
  /** A short form, for the list of facts. */
  short: string
  /** The meaning and the next step; null if there is nothing to do. */
  advice: string | null
  link: readonly [path: string, label: string] | null
}

const good: TextAdvice = { short: 'Complete', advice: null, link: null }

/** Explains the text health of a book to people. */
export function textAdvice(book: Pick<Book, 'id' | 'status' | 'health' | 'healthReason' | 'sourceType'>): TextAdvice {
  const imports = ['/imports', 'See the import'] as const
  const addAnother = ['/add', 'Add another file'] as const
  const reason = book.healthReason === null ? '' : ` ${book.healthReason}`
  if (book.status === 'DRAFT') {
    const advice = 'The upload of its file did not finish. Add the file again, or delete the book.'
    return { short: 'Waiting for its file', advice, link: ['/add', 'Add the file'] }
  }
  if (book.health === 'stuck')
    return { short: 'Import stuck', advice: `The import is taking longer than it should.${reason}`, link: imports }
  if (book.status === 'PROCESSING') {
    const advice = 'The file is being read. You can leave this page; the text appears when it is done.'
    return { short: 'Being read', advice, link: imports }
  }
  const recognition = recognitionWords(book)
  if (recognition !== null) return { short: 'Being recognised', advice: recognition, link: null }
  switch (book.health) {
    case 'ok':
      // Complete except for its figures.
      return { ...good, advice: book.healthReason }
    case 'needs_confirmation': {
      return {
        short: 'Complete',
        advice: confirmationAdvice(book),
        link: [`/books/${book.id}/details`, 'Check the details'],
      }
    }
    case 'partial':
      return {
        short: 'Incomplete',
        advice: `Some pages have no text to read or search. Often these are scanned pages.${reason}`,
        link: addAnother,
      }
    case 'empty': {
      // The stored reason of a Markdown book tells programs what to call.
      return isUnwritten(book)
        ? { short: 'None yet', advice: 'This book has no text yet.', link: null }
        : { short: 'None', advice: `This book has no text to read or search.${reason}`, link: addAnother }
    }
    case 'unreadable':
      return {
        short: 'Not readable',
        advice: `The text that was read from the file is not readable words, so agents cannot use it.${reason}`,
        link: addAnother,
      }
    case 'failed':
      return { short: 'Import failed', advice: `The file could not be read.${reason}`, link: imports }
  }
}
