import { AppError } from '../../../core/errors.ts'
import { splitPages } from '../../../text/markdown/split-pages.ts'
import type { Form } from '../../form.ts'

/**
 * Maximum size of a form in bytes: a page of 1 MB, in which each line end may take six bytes and each other byte three.
 */
export const maxEditorFormBytes = 6_200_000

/** The page that an editor is for: one of the book, or a new one. */
export type Place = { kind: 'page'; pageNum: number } | { kind: 'new'; position: 'start' | 'end' }

/** Parses the position in a path; refuses any other text with NOT_FOUND. */
export function parsePlace(text: string): Place {
  if (text === 'start' || text === 'end') return { kind: 'new', position: text }
  if (/^[1-9]\d{0,8}$/.test(text)) return { kind: 'page', pageNum: Number(text) }
  throw new AppError(
    'NOT_FOUND',
    'This is not the number of a page. Use a number such as 3, or start or end for a new page.',
  )
}

/** The name of a position in paths and drafts. */
export function placeName(place: Place): string {
  return place.kind === 'page' ? String(place.pageNum) : place.position
}

/** The form fields of an editor. */
export interface EditorFields {
  text: string
  lineEnds: 'lf' | 'crlf'
  /** The version with which the editor was opened. */
  version: number
  /** The revision of the draft that the editor knows; empty: none. */
  draft: string
  /** Identifies one attempt to add a page, so that submitting the form twice adds it once. */
  key: string
  letters: 'serif' | 'mono'
  /** The position of the draft before the number of the page changed; empty: unchanged. */
  kept: string
}

/** Parses the fields of a form. Browsers send CR LF; the text gets the line ends of the page. */
export function readEditorFields(form: Form): EditorFields {
  const value = (name: string) => form.get(name) ?? ''
  const version = /^\d{1,9}$/.exec(value('version'))?.[0]
  const lineEnds = value('lineEnds') === 'crlf' ? 'crlf' : 'lf'
  return {
    text: value('text').replaceAll(/\r\n?|\n/g, lineEnds === 'crlf' ? '\r\n' : '\n'),
    lineEnds,
    version: Number(version ?? 0),
    draft: value('draft').slice(0, 64),
    key: value('key').slice(0, 64),
    letters: value('letters') === 'mono' ? 'mono' : 'serif',
    kept: value('kept').slice(0, 10),
  }
}

/** The most frequent line end of a text, as a form value. */
export function lineEndsOf(text: string): 'lf' | 'crlf' {
  const ends = text.match(/\r\n?|\n/g) ?? []
  return ends.filter((end) => end === '\r\n').length > ends.length / 2 ? 'crlf' : 'lf'
}

/** Refuses a text that would be no page or several pages (INVALID_INPUT), with a message for people. */
export function requireOnePage(place: Place, text: string): void {
  if (text.trim() === '') {
    throw invalidText('The text is empty. Write some text, or leave the page as it is.')
  }
  if (place.kind === 'new') return requireHeading(text)
  const pages = place.pageNum === 1 ? splitPages(text) : splitPages(`\n${text}`)
  if (pages.length <= 1) return
  const second = pages[1]?.split('\n', 1)[0] ?? ''
  throw invalidText(
    `The heading “${shorten(second)}” would begin another page, because it has one “#”. Write it with “##”, or add it as a page of its own.`,
  )
}

/** Requires a heading at the start of a new page, because otherwise its text would join the previous page. */
function requireHeading(text: string): void {
  const before = 'text\n\n'
  if (splitPages(before + text)[0] === before) return
  throw invalidText(
    'Begin with the heading of the page, such as “# Chapter 1”. Without one the text would join another page.',
  )
}

function shorten(text: string): string {
  const characters = Array.from(text)
  return characters.length <= 60 ? text : `${characters.slice(0, 60).join('')}…`
}

function invalidText(message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field: 'text' } })
}
