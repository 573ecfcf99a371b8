import { html } from 'hono/html'
import type { Html } from './layout.ts'

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const dateTimeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A day, such as 21 Nov 2026 (UTC). */
export function formatDay(at: Date | string): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${dayFormat.format(date)}</time>`
}

/** A day and a time, such as 21 Nov 2026, 14:05 UTC. */
export function formatDateTime(at: Date | string): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${dateTimeFormat.format(date)} UTC</time>`
}
