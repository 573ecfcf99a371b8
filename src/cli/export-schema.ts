import { z } from 'zod'

/** The latest supported export format. */
const knownFormat = 1

/** The entry `manifest.json` of an export; additions of later formats are ignored. */
export const Manifest = z.object({
  format: z.literal('lectern-export'),
  formatVersion: z.int().min(1).max(knownFormat),
  counts: z.record(z.string(), z.number()),
  files: z.array(z.object({ path: z.string(), bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
})
export type Manifest = z.infer<typeof Manifest>

/** The used fields of an entry `book.json`. */
export const ExportedBook = z.object({
  id: z.string(),
  title: z.string(),
  author: z.string().nullable(),
  description: z.string().nullable(),
  sourceType: z.enum(['pdf', 'epub', 'markdown']),
  fileFormat: z.string().nullable(),
  enrichmentConfidence: z.number().min(0).max(1),
  prompts: z.array(z.object({ prompt: z.string(), context: z.string().optional(), multiBook: z.boolean().optional() })),
  sampleQuestion: z.string().nullable(),
  outcomes: z.array(z.string()),
  outline: z.object({
    givenByYou: z.boolean(),
    entries: z.array(z.object({ title: z.string(), page: z.int(), level: z.int() })),
  }),
  original: z.object({ path: z.string().nullable(), filename: z.string(), sha256: z.string().nullable() }).nullable(),
  text: z.string().nullable(),
  versions: z.array(z.object({ reason: z.string() })),
})
export type ExportedBook = z.infer<typeof ExportedBook>

export const ExportedShelves = z.array(
  z.object({
    name: z.string(),
    color: z.string().nullable(),
    books: z.array(z.object({ id: z.string(), owner: z.string() })),
  }),
)

export const ExportedManuscripts = z.array(
  z.object({
    itemId: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    audience: z.string().nullable(),
    topics: z.array(z.string()),
    criteria: z.array(z.string()),
    trigger: z.string().nullable(),
    instructions: z.string().nullable(),
    autoUpdate: z.boolean(),
    structure: z.unknown(),
    status: z.enum(['ACTIVE', 'PAUSED', 'ARCHIVED']),
  }),
)
