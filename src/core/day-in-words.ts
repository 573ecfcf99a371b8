const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** A date in UTC as people write it, such as 21 Nov 2026. */
export function dayInWords(at: Date | string): string {
  return format.format(new Date(at))
}
