import { z } from 'zod'
import { noteSchema } from './schema-notes.ts'

/** Fields of answers, whose format and bounds the OpenAPI document names. They are not checked: the server makes them. */
export const Timestamp = noteSchema(z.string(), { format: 'date-time' })
export const Url = noteSchema(z.string(), { format: 'uri' })
/** An account's address. */
export const Email = noteSchema(z.string(), { format: 'email' })
/** How many there are of something. */
export const Count = noteSchema(z.int(), { minimum: 0 })
/** A page or a version, numbered from 1. */
export const Ordinal = noteSchema(z.int(), { minimum: 1 })

/** The largest page or version number that a request may name. */
export const maxOrdinal = 999_999_999
