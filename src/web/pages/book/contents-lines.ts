import { AppError } from '../../../core/errors.ts'
import type { OutlineEntry } from '../../../reading/manifest.ts'

/**
 * Formats a table of contents for editing: one line per entry with its page and title, indented by two spaces per
 * level.
 */
export function formatContents(toc: readonly OutlineEntry[]): string {
  return toc
    .map(({ title, page, level }) => `${'  '.repeat(level - 1)}${page} ${title.replace(/\s+/g, ' ')}`)
    .join('\n')
}

/** Parses such lines. Refuses a line without a page or a title with INVALID_INPUT, field `toc`. */
export function parseContents(text: string): OutlineEntry[] {
  return text
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.replaceAll('\t', '  ').trimEnd(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => {
      const [, indent = '', page = '', title = ''] = /^( *)(\d{1,9})\s+(\S.*)$/.exec(line) ?? []
      if (title !== '') return { title, page: Number(page), level: Math.floor(indent.length / 2) + 1 }
      const message = `Line ${number} of the contents needs a page number, a space and a title, such as "12 The voyage".`
      throw new AppError('INVALID_INPUT', message, { details: { field: 'toc' } })
    })
}
