import { z } from 'zod'

/** `itemId`, `itemId:12`, or `itemId:12@60000` for the rest of a page that is larger than an answer. */
const fetchId = /^[^:\s]{1,64}(?::[1-9]\d{0,8}(?:@\d{1,9})?)?$/

export const Fetch = z.strictObject({
  id: z
    .string()
    .regex(fetchId, 'id must be one that search gave, such as ITEM or ITEM:12')
    .describe('From search or metadata.'),
})
export type Fetch = z.infer<typeof Fetch>

/** The document that ChatGPT asks for. */
export const Fetched = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.string()),
})
export type Fetched = z.infer<typeof Fetched>
