import { codeEnd, codeStart, placeholders, writeDelimiters } from './delimiters.ts'
import { escapeText } from './escape.ts'

/** White space that is normalized to one space: all but a single space and spaces of a certain width, such as U+2003. */
const unnormalizedSpace =
  /[\t-\r\u0085\u00A0\u2028\u2029][ \t-\r\u0085\u00A0\u2028\u2029]*| [ \t-\r\u0085\u00A0\u2028\u2029]+/g
/** White space that separates words. `trim` also removes U+FEFF, which has no width. */
const separatingSpace = /[^\S\uFEFF]/

/**
 * Placeholder for a dollar sign of the text. At the end of the paragraph it is known whether the sign could be read as
 * a formula delimiter.
 */
const plainDollar = '\uFDD0'
/** A dollar sign that Markdown parsers could read as the start of a formula because a later one could end it. */
const pairedDollars = /(?<![\w\\])\uFDD0[^\uFDD0]*\uFDD0(?!\w)/

/** The Markdown around the text of an inline element. An element without text writes nothing. */
interface Span {
  open: string
  close: string
  /** The offset of its text in the output; -1 while it has none. */
  start: number
  /** Replaces the inner text when the element ends. */
  rewrite?: (inner: string) => string
}

/**
 * Collects the Markdown of one paragraph: collapses white space, escapes text, and keeps delimiters free of adjacent
 * white space.
 */
export class InlineWriter {
  /** Whether a formula was added. */
  hasFormulas = false
  private output = ''
  /** The last character of `output`, kept separately because reading it would flatten the string each time. */
  private lastCharacter = ''
  private pendingSpace = false
  private readonly spans: Span[] = []
  /** The number of `spans` without text so far. */
  private unwrittenSpans = 0
  private code: { depth: number; text: string } | null = null
  /** The delimiter that was closed last, and its offset, so that two adjacent equal spans become one. */
  private lastClosed = { delimiter: '', at: -1 }

  private paragraphHasDollar = false

  /** True inside emphasis, a link or code. */
  get isWithinSpan(): boolean {
    return this.code !== null || this.spans.some(({ open, rewrite }) => open !== '' || rewrite !== undefined)
  }

  /** The number of UTF-16 units collected so far. */
  get length(): number {
    return this.output.length + (this.code?.text.length ?? 0)
  }

  /** True if the current line is empty. */
  get lineEmpty(): boolean {
    return (this.lastCharacter === '' || this.lastCharacter === '\n') && (this.code?.text.trim() ?? '') === ''
  }

  /** True if the current text is code, which takes no markup. */
  get inCode(): boolean {
    return this.code !== null
  }

  /** Adds source text. */
  text(source: string): void {
    const text = source.replace(unnormalizedSpace, ' ')
    if (this.code !== null) {
      this.code.text += text
      return
    }
    const trimmed = text.trim()
    if (trimmed !== '' && trimmed.length === text.length) return this.append(text)
    const start = trimmed === '' ? text.length : text.indexOf(trimmed)
    if (separatingSpace.test(text.slice(0, start))) this.pendingSpace = true
    if (trimmed === '') return
    this.append(trimmed)
    this.pendingSpace = separatingSpace.test(text.slice(start + trimmed.length))
  }

  /** Adds a formula in LaTeX. */
  formula(latex: string): void {
    if (this.code !== null) return this.text(latex)
    this.append(`$${latex}$`, true)
    this.hasFormulas = true
  }

  /** Opens an element whose text goes between two delimiters. A nested element with the same delimiters adds none. */
  open(open: string, close: string, rewrite?: Span['rewrite']): void {
    const [start, end] = placeholders.get(open) ?? [open, close]
    const nested = this.code !== null || (open !== '' && this.spans.some((span) => span.open === start))
    this.unwrittenSpans++
    this.spans.push(nested ? { open: '', close: '', start: -1 } : { open: start, close: end, start: -1, rewrite })
  }

  /** Closes the last opened element. */
  close(): void {
    const span = this.spans.pop()
    if (span === undefined) return
    if (span.start < 0) this.unwrittenSpans--
    else this.closeSpan(span)
  }

  openCode(): void {
    if (this.code === null) this.code = { depth: 1, text: '' }
    else this.code.depth++
  }

  closeCode(): void {
    if (this.code === null || --this.code.depth > 0) return
    const { text } = this.code
    this.code = null
    this.writeCode(text)
  }

  /** Adds a line break, unless the current line is empty. */
  lineBreak(): void {
    if (this.code !== null) this.code.text += ' '
    else if (!this.lineEmpty) {
      this.write('  \n')
      this.pendingSpace = false
    }
  }

  /**
   * Ends the paragraph and returns its Markdown, which may have several lines. Open elements continue in the next
   * paragraph.
   */
  endParagraph(): string {
    if (this.code !== null) {
      const { depth, text } = this.code
      this.code = null
      this.writeCode(text)
      this.code = { depth, text: '' }
    }
    for (const span of this.spans.toReversed()) {
      if (span.start >= 0) this.closeSpan(span)
      span.start = -1
    }
    this.unwrittenSpans = this.spans.length
    const text = writeDelimiters(this.restoreDollars(this.output.trimEnd()))
    this.output = ''
    this.lastCharacter = ''
    this.pendingSpace = false
    this.lastClosed.at = -1
    return text
  }

  private restoreDollars(text: string): string {
    if (!this.paragraphHasDollar) return text
    this.paragraphHasDollar = false
    // The remaining dollar signs are those of formulas, code and addresses.
    const needsEscape = text.includes('$') || pairedDollars.test(text)
    return text.replaceAll(plainDollar, needsEscape ? '\\$' : '$')
  }

  private writeCode(source: string): void {
    const text = source.trim()
    if (source.startsWith(' ')) this.pendingSpace = true
    if (text === '') return
    this.append(codeStart + text + codeEnd, true)
    this.pendingSpace = source.endsWith(' ')
  }

  /** Writes pending white space, then the opening delimiters of open spans, then the text. */
  private append(text: string, markdown = false): void {
    if (this.pendingSpace && !this.lineEmpty) this.write(' ')
    this.pendingSpace = false
    if (this.unwrittenSpans > 0) for (const span of this.spans) if (span.start < 0) this.openSpan(span)
    this.unwrittenSpans = 0
    this.write(markdown ? text : this.escape(text))
  }

  private escape(text: string): string {
    const escaped = escapeText(text, this.lastCharacter === '' ? ' ' : this.lastCharacter)
    if (!escaped.includes('$')) return escaped
    this.paragraphHasDollar = true
    return escaped.replaceAll('$', plainDollar)
  }

  private openSpan(span: Span): void {
    if (
      span.open !== '' &&
      this.lastClosed.delimiter === span.close &&
      this.lastClosed.at === this.output.length &&
      span.rewrite === undefined
    ) {
      this.output = this.output.slice(0, -span.close.length)
      this.lastCharacter = this.output.at(-1) ?? ''
      span.start = this.output.length
    } else {
      this.write(span.open)
      span.start = this.output.length
      // The text of a span that is rewritten must not lose the delimiter before it.
      if (span.rewrite !== undefined) this.lastClosed.at = -1
    }
  }

  private closeSpan(span: Span): void {
    if (span.rewrite === undefined) this.write(span.close)
    else {
      const inner = this.output.slice(span.start)
      this.output = this.output.slice(0, span.start - span.open.length)
      const text = span.rewrite(writeDelimiters(inner))
      if (text === '') this.lastCharacter = this.output.at(-1) ?? ''
      else this.write(text)
    }
    this.lastClosed = { delimiter: span.close, at: this.output.length }
  }

  private write(text: string): void {
    this.output += text
    this.lastCharacter = text.at(-1) ?? this.lastCharacter
  }
}
