import { finishSteps } from '../runtime/turns.ts'
import { foldSigns } from './fold-signs.ts'
import { foldSpaces } from './fold-spaces.ts'
import { hideInterruptions } from './hide-interruptions.ts'
import { hideMarks } from './hide-marks.ts'
import { normalizeInSteps, type NormalizedText } from './normalize-text.ts'

/** A page that is prepared for searching for many quotations. */
export interface SearchableText {
  raw: string
  normal: NormalizedText
  /**
   * The variants of the page in which quotations are searched: as it is; without note marks and line numbers; without interruptions of
   * sentences.
   */
  forms: readonly NormalizedText[]
  /**
   * The same variants without the signs that code and formulas lose when they are copied. A variant without such signs is the same object.
   */
  plainForms: readonly NormalizedText[]
}

/** Prepares a page for searching for quotations. */
export function prepareText(raw: string): SearchableText {
  return finishSteps(prepareTextInSteps(raw))
}

/** Like `prepareText`, in steps. */
export function* prepareTextInSteps(raw: string): Generator<void, SearchableText> {
  const normal = yield* normalizeInSteps(raw)
  const bare = hideMarks(raw)
  const whole = hideInterruptions(raw)
  const normals = [normal]
  if (bare !== null) normals.push(yield* normalizeInSteps(bare))
  if (whole !== null) normals.push(yield* normalizeInSteps(hideMarks(whole) ?? whole))
  const forms = normals.map(foldSpaces)
  const plainForms = normals.map((text, index) => {
    const plain = foldSigns(text)
    return plain === null ? (forms[index] as NormalizedText) : foldSpaces(plain)
  })
  return { raw, normal, forms, plainForms }
}
