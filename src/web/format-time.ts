import { html } from 'hono/html'
import type { Html } from './layout.ts'

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A day, such as 21 Nov 2026 (UTC). */
export function dayOf(at: Date | string): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${day.format(date)}</time>`
}

/** A day and a time, such as 21 Nov 2026, 14:05 UTC. */
export function momentOf(at: Date | string): Html {
  const date = new Date(at)
  return html`<time datetime="${date.toISOString()}">${minute.format(date)} UTC</time>`
}
