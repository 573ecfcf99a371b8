/** The first and last characters of the runs in an alphabet. */
const runs = [
  ['A', 'Z'],
  ['a', 'z'],
  ['0', '9'],
  ['Α', 'Ω'],
  ['α', 'ω'],
] as const

/**
 * The alphabets of the `mathvariant` attribute (MathML 3, section 3.2.2): where their runs start among the mathematical
 * alphanumeric symbols (Unicode, U+1D400); 0: nowhere.
 */
const alphabets: ReadonlyMap<string, readonly number[]> = new Map(
  Object.entries({
    bold: [0x1d400, 0x1d41a, 0x1d7ce, 0x1d6a8, 0x1d6c2],
    italic: [0x1d434, 0x1d44e, 0, 0x1d6e2, 0x1d6fc],
    'bold-italic': [0x1d468, 0x1d482, 0, 0x1d71c, 0x1d736],
    'double-struck': [0x1d538, 0x1d552, 0x1d7d8],
    script: [0x1d49c, 0x1d4b6],
    'bold-script': [0x1d4d0, 0x1d4ea],
    fraktur: [0x1d504, 0x1d51e],
    'bold-fraktur': [0x1d56c, 0x1d586],
    'sans-serif': [0x1d5a0, 0x1d5ba, 0x1d7e2],
    'bold-sans-serif': [0x1d5d4, 0x1d5ee, 0x1d7ec, 0x1d756, 0x1d770],
    'sans-serif-italic': [0x1d608, 0x1d622],
    'sans-serif-bold-italic': [0x1d63c, 0x1d656, 0, 0x1d790, 0x1d7aa],
    monospace: [0x1d670, 0x1d68a, 0x1d7f6],
  }),
)

/** Letters that Unicode had before it added these alphabets. Their code points in the alphabets are unassigned. */
const olderLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    italic: 'ℎ',
    'double-struck': 'ℂℍℕℙℚℝℤ',
    script: 'ℬℰℱℋℐℒℳℛℯℊℴ',
    fraktur: 'ℭℌℑℜℨ',
  }),
)

/**
 * Replaces the letters and digits of MathML that have a `mathvariant` by those of its alphabet, such as ℝ. Browsers ignore
 * the attribute since MathML Core (section 2.2.2). Words (`mtext`) keep it, for style sheets.
 */
export function writeStyledLetters(mathml: string): string {
  return mathml.replaceAll(
    /<(m[in]) mathvariant="([a-z-]+)">([^<]*)</g,
    (...[whole = '', name = '', variant = '', text = '']: string[]) => {
      const alphabet = alphabets.get(variant)
      if (alphabet === undefined) return whole
      // A character reference stays as it is.
      return `<${name}>${text.replaceAll(/&[^;]*;|[^&]/gu, (character) => styled(character, variant))}<`
    },
  )
}

function styled(character: string, variant: string): string {
  const older = [...(olderLetters.get(variant) ?? '')].find((letter) => letter.normalize('NFKC') === character)
  if (older !== undefined) return older
  const at = runs.findIndex(([first, last]) => character.length === 1 && character >= first && character <= last)
  const first = runs[at]?.[0]
  const start = alphabets.get(variant)?.[at]
  return first && start ? String.fromCodePoint(start + character.charCodeAt(0) - first.charCodeAt(0)) : character
}
