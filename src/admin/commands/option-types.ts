import { z } from 'zod'

/** A moment in ISO 8601: a time with its zone, or a date, which begins at 0:00 UTC. */
export const Moment = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'must be a date such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z',
  )
  .transform((text) => new Date(text))

/** The maximum number of rows to print. */
export function rowLimit(max: number) {
  const range = `must be a whole number from 1 to ${max}`
  return z.coerce.number(range).int(range).min(1, range).max(max, range).default(100)
}

/** One of some words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, `must be ${words.length > 2 ? 'one of ' : ''}${words.join(words.length > 2 ? ', ' : ' or ')}`)
}
