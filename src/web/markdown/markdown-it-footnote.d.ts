declare module 'markdown-it-footnote' {
  import type { MarkdownIt } from 'markdown-it'

  /** A plugin for `[^label]` with `[^label]: text`, and `^[text]`. */
  export default function footnotes(parser: MarkdownIt): void
}
