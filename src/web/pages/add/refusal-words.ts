import { AppError } from '../../../core/errors.ts'
import { toRefusal } from '../../../transport/refusals.ts'

/** Why a file was not added, in plain words, and a help page. */
export interface RefusalWords {
  reason: string
  link?: readonly [path: string, label: string]
}

/** The words of a refusal for the user who adds books; null for an internal error. */
export function refusalWords(error: unknown): RefusalWords | null {
  const refusal = toRefusal(error)
  if (!refusal) return null
  const { code, message, details } = refusal
  if (code === 'PLAN_LIMIT_EXCEEDED') return { reason: fullWords(details), link: ['/plans', 'See the plans'] }
  if (code === 'RATE_LIMITED')
    return { reason: 'Too many files arrived at once. Wait a minute, then send this one again.' }
  return { reason: uploadWords.get(String(details['reason'])) ?? message }
}

/** The refusals of an uploaded file, which the API words for programs. */
const uploadWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    UPLOAD_MISSING: 'The file has not arrived. Send it again.',
    UPLOAD_SIZE_MISMATCH: 'The file has not arrived completely. Send it again.',
  }),
)

function fullWords(details: Record<string, unknown>): string {
  const { storageMb, itemCount, itemLimit } = details
  if (storageMb !== undefined)
    return `The file does not fit into your storage of ${storageMb} MB. Delete books, or ask for more storage.`
  return `Your library is full: it has ${itemCount} of ${itemLimit} books. Delete books, or ask for a larger plan.`
}

/**
 * Runs a step of a script's upload and rewords its refusals for the user. A file of another format than its name says
 * gets UNSUPPORTED_MEDIA_TYPE, because sending the same file again cannot help.
 */
export async function inPlainWords<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const refusal = toRefusal(error)
    const words = refusalWords(error)
    if (!refusal || !words) throw error
    const { details, retryAfterSeconds } = refusal
    const code = details['reason'] === 'UPLOAD_TYPE_MISMATCH' ? 'UNSUPPORTED_MEDIA_TYPE' : refusal.code
    throw new AppError(code, words.reason, { cause: error, retryAfterSeconds })
  }
}
