import type { SourceType } from '../books/file-formats.ts'

/** The lanes of the import queue. Markdown takes milliseconds, so it does not wait for files with a layout. */
export const lanes = ['layout', 'text'] as const
export type Lane = (typeof lanes)[number]

/** The lane in which files of a type are imported. */
export function laneOf(sourceType: SourceType): Lane {
  return sourceType === 'markdown' ? 'text' : 'layout'
}

/**
 * The rounds in which accounts take turns: one for each lane, and one for short files that overtake long ones in the
 * layout lane.
 */
export const rounds = [...lanes, 'short'] as const
export type Round = (typeof rounds)[number]

/** The rounds in which a job of a lane may get its turn. */
export function roundsOf(lane: Lane): readonly Round[] {
  return lane === 'layout' ? ['layout', 'short'] : [lane]
}

/** The lane whose jobs belong to a round. */
export function laneOfRound(round: Round): Lane {
  return round === 'short' ? 'layout' : round
}

/**
 * The places of a worker: those of the rounds, and one for the first import of an account that runs none. Its accounts
 * take turns in the round `short`.
 */
export type Place = Round | 'first'
