import { z } from 'zod'
import { Count, Ordinal, Url } from '../core/field-types.ts'
import { nameSchema } from '../core/schema-notes.ts'
import { ItemId, QuotedFrom, wellFormed } from '../books/schema.ts'
import { Locked, Unfinished } from '../reading/schema.ts'
import { normalizeText } from './normalize-text.ts'

const maxQuoteLength = 2000

const Quote = wellFormed('quote')
  .refine((quote) => quote.length <= maxQuoteLength, `quote must be at most ${maxQuoteLength} characters long`)
  .refine((quote) => quote.length > maxQuoteLength || normalizeText(quote).text !== '', 'quote must hold text')

const Citation = z.strictObject({
  itemId: ItemId,
  page: z.int().min(1),
  quote: Quote.meta({ minLength: 1, maxLength: maxQuoteLength }),
  version: z.int().min(1).optional().describe('Book version. Default: current.'),
})
export type Citation = z.infer<typeof Citation>

export const CheckCitations = z.strictObject({ citations: z.array(Citation).min(1).max(50) })
export type CheckCitations = z.infer<typeof CheckCitations>

/** Why a citation could not be checked. */
const Problem = z.object({
  code: z.enum([
    'BOOK_NOT_FOUND',
    'BOOK_LOCKED',
    'VERSION_NOT_FOUND',
    'VERSION_REMOVED',
    'PAGE_NOT_FOUND',
    'PREVIEW_ONLY',
    'NOT_CHECKED',
  ]),
  message: z.string(),
})
export type Problem = z.infer<typeof Problem>
nameSchema(Problem, 'CitationProblem', 'Why a citation could not be checked.')

const Nearest = z.object({
  page: Ordinal,
  start: z.int(),
  end: z.int(),
  similarity: z.number().describe('0 to 0.99.'),
  passage: z.string().optional().describe('Present if similarity is at least 0.75.'),
})
export type Nearest = z.infer<typeof Nearest>
nameSchema(Nearest, 'NearestPassage', 'The passage that is most like a quote.')

/** The REST route ignores unknown fields. */
export const CheckCitationsBody = z.object({ citations: z.array(z.object(Citation.shape)).min(1).max(50) })

const CheckedCitation = z.object({
  itemId: z.string(),
  page: Ordinal,
  version: Count.nullable().describe('The version that was checked.'),
  found: z.boolean().describe('True if the quote is on that page of that version.'),
  match: z
    .enum(['exact', 'normalized'])
    .nullable()
    .describe('normalized: equal apart from spaces, hyphenation and punctuation marks.'),
  start: z.int().nullable().describe('UTF-16 offset in the text of the page.'),
  end: z.int().nullable(),
  endPage: Ordinal.nullable().describe('The page that contains end.'),
  otherPages: z.array(Ordinal).describe('Other pages that contain the quote.'),
  incomplete: z.literal(true).optional().describe('True if not all other pages were searched.'),
  nearest: Nearest.nullable(),
  currentVersion: Count.nullable(),
  changed: z.boolean().nullable().describe('True if the page has changed since that version.'),
  url: Url.nullable(),
  quotedFrom: QuotedFrom,
  ...Unfinished,
  problem: Problem.optional(),
})
export type CheckedCitation = z.infer<typeof CheckedCitation>
nameSchema(CheckedCitation, 'CheckedCitation', 'What became of a citation.')

export const CheckedCitations = z.object({
  citations: z.array(CheckedCitation).describe('In the order of the request.'),
  notFound: z.array(z.string()),
  locked: z.array(Locked).optional(),
})
export type CheckedCitations = z.infer<typeof CheckedCitations>
