import { z } from 'zod'
import { Url } from '../core/field-types.ts'

/** `itemId`, `itemId:12`, or `itemId:12@60000`: the rest of page 12 from UTF-16 offset 60000. */
const fetchId = /^[^:\s]{1,64}(?::[1-9]\d{0,8}(?:@\d{1,9})?)?$/

export const Fetch = z.strictObject({
  id: z
    .string()
    .regex(fetchId, 'id must be an id from search results, such as ITEM or ITEM:12')
    .describe('An id from search or metadata.'),
})
export type Fetch = z.infer<typeof Fetch>

/** The document format of ChatGPT connectors (`fetch`). */
export const Fetched = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: Url,
  metadata: z.record(z.string(), z.string()),
})
export type Fetched = z.infer<typeof Fetched>
