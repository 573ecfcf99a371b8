import { finishSteps } from '../runtime/turns.ts'
import { foldSpaces } from './fold-spaces.ts'
import { hideMarks } from './hide-marks.ts'
import { normalizeInSteps, type NormalizedText } from './normalize-text.ts'

/** A page prepared for many quotations. */
export interface SearchableText {
  raw: string
  normal: NormalizedText
  /** What quotations are searched in: the page as it stands, and without the marks of notes and the numbers of lines. */
  forms: readonly NormalizedText[]
}

/** Prepares a page for quotations. */
export function prepareText(raw: string): SearchableText {
  return finishSteps(prepareTextInSteps(raw))
}

/** The same, in steps. */
export function* prepareTextInSteps(raw: string): Generator<void, SearchableText> {
  const normal = yield* normalizeInSteps(raw)
  const bare = hideMarks(raw)
  const forms = [foldSpaces(normal)]
  if (bare !== null) forms.push(foldSpaces(yield* normalizeInSteps(bare)))
  return { raw, normal, forms }
}
