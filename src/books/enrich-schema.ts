import { z } from 'zod'
import { noteSchema, visible } from '../core/schema-notes.ts'
import { Count, Timestamp } from '../core/field-types.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { cleanName } from '../runtime/clean-name.ts'
import { ItemId, QuotedFrom, wellFormed } from './schema.ts'

const itemIdRequired = 'itemId is required'
const confidenceRange = 'confidence must be between 0 and 1'
const tocPage = 'each TOC entry needs a page >= 1'

function boundedText(name: string, maxLength: number) {
  return wellFormed(name)
    .refine((value) => hasAtMost(value, maxLength), `${name} must be at most ${maxLength} characters long`)
    .meta({ maxLength })
}

const BookId = ItemId.min(1, itemIdRequired)

const Prompt = z.object({
  prompt: noteSchema(
    boundedText('addPrompt.prompt', 2000).refine((value) => value.trim() !== '', 'addPrompt.prompt is required'),
    { pattern: visible },
  ),
  context: boundedText('addPrompt.context', 2000).optional(),
  multiBook: z.boolean().optional(),
})

/** Null is equivalent to no level. */
const TocLevel = z
  .preprocess((level) => level ?? undefined, z.int().min(1, 'each TOC entry needs a level >= 1').max(20).default(1))
  .default(1)

export const EnrichItem = z.strictObject({
  itemId: BookId,
  title: noteSchema(boundedText('title', 200), { pattern: visible })
    .transform(cleanName)
    .refine((title) => title !== '', 'title must not be blank')
    .optional(),
  author: boundedText('author', 200).transform(cleanName).nullish(),
  description: boundedText('description', 4000).nullish(),
  confidence: z.number({ error: confidenceRange }).min(0, confidenceRange).max(1, confidenceRange).optional(),
  toc: z
    .array(
      z.object({
        title: boundedText('toc title', 500).transform(cleanName),
        page: z.int({ error: tocPage }).min(1, tocPage),
        level: TocLevel,
      }),
    )
    .max(20_000)
    .optional()
    .describe("Replaces all. Empty: the file's own."),
  addPrompt: Prompt.optional(),
  sampleQuestion: boundedText('sampleQuestion', 500).nullish(),
  outcomes: z.array(boundedText('outcomes', 140)).max(6).optional().describe('Empty clears them.'),
})
export type EnrichItem = z.infer<typeof EnrichItem>

/** For the route, with the contract's message for a missing id. */
export const EnrichItemBody = z.object({
  ...EnrichItem.shape,
  itemId: z.string({ error: itemIdRequired }).min(1, itemIdRequired),
})

export const EnrichedItem = z.object({
  item: z.object({
    id: z.string(),
    title: z.string(),
    author: z.string().nullable(),
    description: z.string().nullable(),
    needsEnrichment: z.boolean(),
    enrichmentConfidence: z.number(),
    enrichedAt: Timestamp,
    quotedFrom: QuotedFrom,
  }),
})
export type EnrichedItem = z.infer<typeof EnrichedItem>

export const FlagItem = z.strictObject({ itemId: z.string({ error: itemIdRequired }).min(1, itemIdRequired).max(64) })
export type FlagItem = z.infer<typeof FlagItem>

export const FlaggedItem = z.object({
  item: z.object({ id: z.string(), title: z.string(), needsEnrichment: z.boolean(), quotedFrom: QuotedFrom }),
})
export type FlaggedItem = z.infer<typeof FlaggedItem>

export const ReprocessItem = z.strictObject({
  itemId: ItemId,
  password: z.string().max(500).optional().describe('Of an encrypted PDF.'),
})
export type ReprocessItem = z.infer<typeof ReprocessItem>

export const ReprocessedItem = z.object({
  item: z.object({ id: z.string(), title: z.string(), status: z.string(), quotedFrom: QuotedFrom }),
  job: z.object({ id: z.string(), status: z.string() }),
})
export type ReprocessedItem = z.infer<typeof ReprocessedItem>

const idsRequired = 'ids must be an array of strings'

export const PickUsableBooks = z.object({
  ids: z.array(z.string({ error: idsRequired }), { error: idsRequired }).max(100_000),
})
export type PickUsableBooks = z.infer<typeof PickUsableBooks>

export const UsableBooks = z.object({ ids: z.array(z.string()), limit: Count })
export type UsableBooks = z.infer<typeof UsableBooks>
