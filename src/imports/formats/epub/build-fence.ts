import { newBlock } from './blocks.ts'
import type { Block } from './blocks.ts'
import { backtickRunLength } from '../../../text/markdown/code-span.ts'

const languageClass =
  /(?:^|\s)(?:(?:language|lang|highlight|highlight\s+hl|brush)[-:]\s*(?:source-)?|sourceCode\s+)([\w+#.-]+)/
const maxFenceLength = 200
/** Class names that look like a language name but are not one. */
const nonLanguageClasses = new Set([
  'default',
  'none',
  'text',
  'plain',
  'plaintext',
  'notranslate',
  'source',
  'wrapper',
])

/** The programming language that an element names in its class or data attributes, or null. */
export function languageOf(attributes: Readonly<Record<string, string>>): string | null {
  const candidate =
    attributes['data-lang'] ?? attributes['data-language'] ?? languageClass.exec(attributes['class'] ?? '')?.[1] ?? null
  return candidate === null || nonLanguageClasses.has(candidate.toLowerCase()) || !/^[\w+#.-]{1,40}$/.test(candidate)
    ? null
    : candidate
}

/**
 * A fenced code block, or null for blank text. The fence is longer than any run of backticks in the text, up to
 * `maxFenceLength`.
 */
export function buildFence(source: string, language: string | null): Block | null {
  const text = source.replace(/\r\n?/g, '\n').replaceAll('\u00A0', ' ').replace(/^\n/, '').trimEnd()
  if (text === '') return null
  const fence = '`'.repeat(Math.min(Math.max(backtickRunLength(text) + 1, 3), maxFenceLength))
  const block = newBlock('fence', text)
  block.head = fence + (language ?? '')
  block.tail = fence
  return block
}
