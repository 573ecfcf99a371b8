/** A part of a plain text. */
interface TextPart {
  text: string
  isEmphasised: boolean
}

/**
 * Words between underscores, as in the books of Project Gutenberg. Underscores within names, such as `__init__`, and
 * lines to fill in are none.
 */
const emphasised =
  /(?<=^|[\s"\u201C\u2018\u00AB'([{\u2013\u2014-])_(?=[\p{L}\p{N}"\u201C\u2018\u00AB'([\u00BF\u00A1])([^_]{1,1000})(?<=[\p{L}\p{N}"\u201D\u2019\u00BB').,;:!?\]\u2014\u2026-])_(?=$|[\s"\u201D\u2019\u00BB').,;:!?\]}\u2013\u2014\u2026-])/gu

/** Divides a paragraph of a plain text at its emphasised words; the parts have no underscores around them. */
export function splitEmphasis(text: string): TextPart[] {
  if (!text.includes('_')) return [{ text, isEmphasised: false }]
  // The pattern has one group, so that every second part is emphasised.
  return text.split(emphasised).map((part, at) => ({ text: part, isEmphasised: at % 2 === 1 }))
}
