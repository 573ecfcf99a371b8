import type { SourceType } from '../books/book.ts'

/** The lanes of the import queue. Markdown takes milliseconds and does not queue behind files with a layout. */
export const lanes = ['layout', 'text'] as const
export type Lane = (typeof lanes)[number]

/** The lane in which files of a type are imported. */
export function laneOf(sourceType: SourceType): Lane {
  return sourceType === 'markdown' ? 'text' : 'layout'
}

/** What accounts take turns in: the lanes, and the recognition of pages, which is no import and delays none. */
export type TurnLane = Lane | 'ocr'
