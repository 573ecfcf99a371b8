import { z } from 'zod'
import { noteSchema, visible } from '../core/schema-notes.ts'
import { Url } from '../core/field-types.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { wellFormed } from '../books/schema.ts'

const reportTypes = ['bug', 'feature', 'idea', 'other'] as const

export const SendReport = z.object({
  title: noteSchema(wellFormed('title'), { minLength: 1, maxLength: 200, pattern: visible })
    .transform((title) => title.trim())
    .refine((title) => title !== '', 'title is required')
    .refine((title) => hasAtMost(title, 200), 'title exceeds 200 characters'),
  body: noteSchema(wellFormed('body'), { minLength: 1, maxLength: 100_000, pattern: visible })
    .refine((body) => body.trim() !== '', 'body is required')
    .refine((body) => hasAtMost(body, 100_000), 'body exceeds 100000 characters'),
  type: z.enum(reportTypes).default('other'),
})
export type SendReport = z.infer<typeof SendReport>

export const SentReport = z.object({ id: z.string(), url: Url })
export type SentReport = z.infer<typeof SentReport>
