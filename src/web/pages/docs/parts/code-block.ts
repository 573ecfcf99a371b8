import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import { highlightCode } from '../../../markdown/highlight-code.ts'
import { sanitisedHtml } from '../../../markdown/sanitised-html.ts'

interface Block {
  source: string
  language: 'json' | 'bash' | 'http'
  /** A label above it. */
  label?: string
  /** True for commands that run unchanged, in the order of the page. */
  runs?: true
  /** The status of the refusal that the commands demonstrate. */
  refused?: number
}

/** Code that can be copied, highlighted by the server. */
export function codeBlock({ source, language, label, runs, refused }: Block): Html {
  const marked = highlightCode(source, language, { code: source.length, math: 0 })
  return html`<figure class="code" ${runs ? html`data-shell` : ''} ${refused ? html`data-refused="${refused}"` : ''}>
    ${label === undefined ? '' : html`<figcaption>${label}</figcaption>`}
    <pre tabindex="0" data-copy><code>${marked === null ? source : sanitisedHtml(marked)}</code></pre>
  </figure>`
}

/** Shell commands that run unchanged, in the order of the page. */
export function shellBlock(source: string, options: Pick<Block, 'label' | 'refused'> = {}): Html {
  return codeBlock({ source, language: 'bash', runs: true, ...options })
}

/** Indented JSON. */
export function jsonBlock(value: unknown, label?: string): Html {
  const source = JSON.stringify(value, null, 2)
  return codeBlock({ source, language: 'json', ...(label === undefined ? {} : { label }) })
}
