import { z } from 'zod'
import { noteSchema } from './schema-notes.ts'

/**
 * A time in an answer. The OpenAPI document names the formats and bounds of these output types; they are not validated,
 * because the server produces the values.
 */
export const Timestamp = noteSchema(z.string(), { format: 'date-time' })
export const Url = noteSchema(z.string(), { format: 'uri' })
/** The email address of an account. */
export const Email = noteSchema(z.string(), { format: 'email' })
/** A non-negative number of things. */
export const Count = noteSchema(z.int(), { minimum: 0 })
/** A page or version number, counted from 1. */
export const Ordinal = noteSchema(z.int(), { minimum: 1 })

/** The largest page or version number that a request may name. */
export const maxOrdinal = 999_999_999
