import { listLibraryBooks } from '../books/access.ts'
import type { Book } from '../books/book.ts'
import { titleFromFilename } from './title-from-filename.ts'
import type { CheckUpload, UploadCandidates } from './schema.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

const minScore = 0.4
const maxCandidates = 5

/** The caller's books that may already contain the file, best match first. Advisory: reserves nothing. */
export async function checkUpload(
  ctx: Call & BookAccessStores,
  { filename, sha256 }: CheckUpload,
): Promise<UploadCandidates> {
  const titleTrigrams = trigrams(titleFromFilename(filename))
  const books = await listLibraryBooks(ctx)
  const candidates = books
    .filter(({ access }) => access.kind === 'own')
    .map((book) => ({ book, score: matchScore(book, titleTrigrams, sha256?.toLowerCase()) }))
    .filter(({ score }) => score >= minScore)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxCandidates)
  return { candidates: candidates.map(presentCandidate) }
}

function matchScore(book: Book, titleTrigrams: Set<string>, sha256: string | undefined): number {
  if (sha256 !== undefined && book.original?.sha256 === sha256) return 1
  const byTitle = diceCoefficient(titleTrigrams, trigrams(book.title))
  const byFile = book.original ? diceCoefficient(titleTrigrams, trigrams(titleFromFilename(book.original.filename))) : 0
  return Math.round(Math.max(byTitle, byFile) * 100) / 100
}

function presentCandidate({ book, score }: { book: Book; score: number }) {
  const { id, title, author, status, sourceType, createdAt } = book
  return { id, title, author, status, sourceType, createdAt: createdAt.toISOString(), score }
}

/** The trigrams of a normalized title: lower case, no accents, single spaces. */
function trigrams(title: string): Set<string> {
  const normalized = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  const padded = `  ${normalized} `
  const grams = new Set<string>()
  for (let i = 0; i + 3 <= padded.length; i++) grams.add(padded.slice(i, i + 3))
  return grams
}

/** Dice's coefficient of two sets: 0 without common elements, 1 for equal sets. */
function diceCoefficient(a: Set<string>, b: Set<string>): number {
  let common = 0
  for (const gram of a) if (b.has(gram)) common++
  return (2 * common) / (a.size + b.size)
}
