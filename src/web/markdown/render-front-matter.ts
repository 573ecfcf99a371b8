import createMarkdownIt from 'markdown-it'
import { readFrontMatter } from '../../text/markdown/front-matter.ts'

const { escapeHtml } = new createMarkdownIt().utils

/**
 * Renders the front matter of a text as a table of its fields, or as code if it has only nested fields. Empty if there
 * is none.
 */
export function renderFrontMatter(frontMatter: string): string {
  if (frontMatter === '') return ''
  const rows = Array.from(
    readFrontMatter(frontMatter),
    ([name, value]) => `<tr><th dir="auto">${escapeHtml(name)}</th><td dir="auto">${escapeHtml(value)}</td></tr>`,
  )
  return rows.length > 0
    ? `<div class="scroll" tabindex="0"><table><tbody>${rows.join('')}</tbody></table></div>\n`
    : `<pre tabindex="0" dir="ltr"><code>${escapeHtml(frontMatter)}</code></pre>\n`
}
