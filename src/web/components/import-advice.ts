import type { Book } from '../../books/book.ts'
import { recognitionProgress } from '../../imports/ocr-service.ts'
import { duplicateTitle } from '../../imports/build-imported-book.ts'
import type { ExtractionErrorCode } from '../../imports/extract/extraction-error.ts'

/** Why an import failed, and what the user can do. */
export interface ImportAdvice {
  /** The reason, without a full stop. */
  reason: string
  /** The next step, as a sentence. */
  next: string
  /** True if importing the same file again may succeed; otherwise another file is needed. */
  canRetry: boolean
  /** True if importing it again needs the password of the file. */
  asksPassword?: true
  /** A help page. */
  link?: readonly [path: string, label: string]
}

const anotherFile = ['/add', 'Add another file'] as const

const advice: Record<ExtractionErrorCode, ImportAdvice> = {
  ENCRYPTED: {
    reason: 'The file is protected by a password',
    next: 'If it is a PDF, enter its password and try again; Lectern does not keep the password. Or save a copy without a password and add that copy.',
    canRetry: true,
    asksPassword: true,
    link: anotherFile,
  },
  WRONG_PASSWORD: {
    reason: 'The password does not open the file',
    next: 'Enter the correct password and try again. Lectern does not keep it.',
    canRetry: true,
    asksPassword: true,
    link: anotherFile,
  },
  DRM: {
    reason: 'The file is copy-protected (DRM)',
    next: 'Lectern cannot open protected books. If the shop offers a copy without protection, add that one.',
    canRetry: false,
    link: anotherFile,
  },
  BROKEN: {
    reason: 'The file is damaged, or its name has the wrong extension',
    next: 'Open it in another program. If it opens there, save it again and add the new copy. Otherwise, get an undamaged copy.',
    canRetry: false,
    link: anotherFile,
  },
  UNREAD_OFFICE: {
    reason: 'The file is a presentation, spreadsheet or drawing',
    next: 'Lectern does not read these. Save it as PDF, and add that copy.',
    canRetry: false,
    link: anotherFile,
  },
  TOO_LARGE: {
    reason: 'The book is too long',
    next: 'Split the file into smaller parts in another program, and add the parts.',
    canRetry: false,
    link: anotherFile,
  },
  TOO_DEEP: {
    reason: 'The elements of the file are nested too deeply',
    next: 'Open it in another program, save it again, and add the new copy.',
    canRetry: false,
    link: anotherFile,
  },
  EMPTY: {
    reason: 'The file has no pages',
    next: 'Check that it is the right file, and add it again.',
    canRetry: false,
    link: anotherFile,
  },
  OUT_OF_MEMORY: {
    reason: 'The file needs more memory than one import may use',
    next: 'In another program, save it with smaller pictures or split it, and add the result.',
    canRetry: false,
    link: anotherFile,
  },
  TIMED_OUT: {
    reason: 'Reading the file took too long',
    next: 'Try again. If it fails again, save a new copy of the file in another program, or split it.',
    canRetry: true,
  },
  CRASHED: {
    reason: 'Reading the file stopped unexpectedly',
    next: 'Try again. If it fails again, the file may be damaged: save a new copy in another program.',
    canRetry: true,
  },
  STORAGE_FULL: {
    reason: 'There is no storage left for the text of this book',
    next: 'Delete books that you no longer need or get more storage, then try again.',
    canRetry: true,
    link: ['/plans', 'See the plans'],
  },
  CANCELLED: {
    reason: 'Cancelled',
    next: 'Lectern has kept the file. You can start the import again at any time.',
    canRetry: true,
  },
}

/** Explains the end of a failed or cancelled import in plain words, including codes of later versions. */
export function adviceOn(errorCode: string | null): ImportAdvice {
  return advice[errorCode as ExtractionErrorCode] ?? advice.CRASHED
}

/** How far the recognition of scanned pages is; null if none is under way. */
export function recognitionWords({ healthReason }: Pick<Book, 'healthReason'>): string | null {
  const progress = recognitionProgress(healthReason)
  if (progress === null) return null
  const { done, total } = progress
  const hint = 'You need not do anything: the text appears when it is ready.'
  if (total === 1) return `The text of its scanned page is being recognised (OCR). ${hint}`
  const ready =
    done === 0 ? 'none of them is' : done === 1 ? '1 of them is' : `${done.toLocaleString('en-GB')} of them are`
  return `The text of ${total.toLocaleString('en-GB')} scanned pages is being recognised (OCR); ${ready} done. ${hint}`
}

/** What the owner of a book that needs confirmation is to check. */
export function confirmationAdvice({ healthReason }: Pick<Book, 'healthReason'>): string {
  const same = duplicateTitle(healthReason)
  return same === null
    ? 'The title and the author were taken from the file and may be wrong. Please check them.'
    : `“${same}” in your library is the same file. Delete one of the two books; or save the details of this one to keep both.`
}
