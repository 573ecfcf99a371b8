import { z } from 'zod'

/**
 * Optional text fields in which an empty string has a meaning of its own. Models put an empty string into other fields
 * to mean "absent".
 */
export const emptyIsValue = z.registry<{ means: string }>()
