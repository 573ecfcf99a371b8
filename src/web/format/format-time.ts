import { html } from 'hono/html'
import { dayInWords } from '../../core/day-in-words.ts'
import type { Html } from '../components/html.ts'

/** Created with the first time, like that of `dayInWords`. */
let dateTimeFormat: Intl.DateTimeFormat | undefined

/** Formats a date in UTC, such as 21 Nov 2026. */
export function formatDay(at: Date | string): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${dayInWords(date)}</time>`
}

/** Formats a date and time in UTC, such as 21 Nov 2026, 14:05 UTC. */
export function formatDateTime(at: Date | string): Html {
  const date = new Date(at)
  dateTimeFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${date.toISOString()}">${dateTimeFormat.format(date)} UTC</time>`
}
