import { z } from 'zod'

/** Optional texts whose empty string says something else than leaving them out. Models fill others with it. */
export const emptyIsValue = z.registry<{ means: string }>()
