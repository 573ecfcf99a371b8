const maxLength = 64

/** Latin letters that Unicode does not decompose into an ASCII letter and marks. */
const letterFolds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ß: 'ss',
    ð: 'd',
    đ: 'd',
    þ: 'th',
    ħ: 'h',
    ł: 'l',
    ŋ: 'ng',
    ŧ: 't',
    ı: 'i',
    ĸ: 'k',
  }),
)
const foldedLetters = new RegExp(`[${[...letterFolds.keys()].join('')}]`, 'gu')

/**
 * The slug of a name: lower case, Latin letters without accents, letters and digits of every script, `-` for everything
 * between, at most 64 characters. Empty for a name without letters and digits.
 */
export function slugify(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/(?<=[a-z])\p{M}+/gu, '')
    .replaceAll(foldedLetters, (letter) => letterFolds.get(letter) ?? letter)
    .normalize('NFC')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return clip(letters.replace(/^-/, ''), maxLength)
}

/** The slug of a name; if it is taken, the first free one with `-2`, `-3` … appended. */
export function uniqueSlug(name: string, taken: ReadonlySet<string>): string {
  const base = slugify(name)
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`
    const slug = clip(base, maxLength - suffix.length) + suffix
    if (!taken.has(slug)) return slug
  }
}

function clip(text: string, length: number): string {
  return [...text].slice(0, length).join('').replace(/-+$/, '')
}
