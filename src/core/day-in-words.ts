/** Created with the first date, because the data of a language takes as long to load as dozens of modules. */
let format: Intl.DateTimeFormat | undefined

/** A date in UTC as people write it, such as 21 Nov 2026. */
export function dayInWords(at: Date | string): string {
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
  return format.format(new Date(at))
}
