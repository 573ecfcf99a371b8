import { integer, string, type Arbitrary, type StringConstraints } from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/** Every character except surrogates. */
const anyCharacter = integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (place) => String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count),
  (character) => {
    if (typeof character !== 'string' || !character.isWellFormed() || [...character].length !== 1)
      throw new Error('not one character')
    const code = character.codePointAt(0) as number
    return code < surrogates.first ? code : code - surrogates.count
  },
)

/**
 * Generates the same texts as the unit `binary` of fast-check, which for them keeps a table of all characters: a second of processor
 * time and 180 MB in each test worker.
 */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): Arbitrary<string> {
  return string({ ...constraints, unit: anyCharacter })
}
