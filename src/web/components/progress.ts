import { html } from 'hono/html'
import type { Html } from './html.ts'

interface Progress {
  /** What is in progress, for screen readers. */
  label: string
  /** The completed part of `total`; null if unknown. */
  done: number | null
  total: number
  /** Text below the bar, such as “27 of 193 pages”. */
  text?: Html | string
}

/** A bar with its numbers. */
export function progress({ label, done, total, text = '' }: Progress): Html {
  return html`<div class="progress-line">
    <progress
      aria-label="${label}"
      max="${Math.max(1, total)}"
      ${done === null ? '' : html`value="${Math.min(done, total)}"`}
    ></progress>
    ${text === '' ? '' : html`<span>${text}</span>`}
  </div>`
}
