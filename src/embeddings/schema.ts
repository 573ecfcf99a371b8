import { z } from 'zod'

export const MeaningSearch = z.object({
  enabled: z.boolean().describe('False: no text of your books is sent to the service that compares meanings.'),
  available: z.boolean().describe('True if this server has such a service.'),
})
export type MeaningSearch = z.infer<typeof MeaningSearch>

export const ChangeMeaningSearch = z.strictObject({ enabled: z.boolean() })
export type ChangeMeaningSearch = z.infer<typeof ChangeMeaningSearch>
