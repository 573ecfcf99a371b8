const longest = 64

/** Latin letters that Unicode does not decompose into an ASCII letter and marks. */
const folds: Record<string, string> = {
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
}
const folded = new RegExp(`[${Object.keys(folds).join('')}]`, 'gu')

/**
 * The slug of a name: lower case, accents off Latin letters, letters and digits of every script kept, `-` for what is
 * between, at most 64 characters. Empty for a name without letters and digits.
 */
export function slugOf(name: string): string {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/(?<=[a-z])\p{M}+/gu, '')
    .replaceAll(folded, (letter) => folds[letter] ?? letter)
    .normalize('NFC')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return clip(letters.replace(/^-/, ''), longest)
}

/** The slug of a name, or with `-2`, `-3` … behind it the first one that is free. */
export function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const base = slugOf(name)
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`
    const slug = clip(base, longest - suffix.length) + suffix
    if (!taken.has(slug)) return slug
  }
}

function clip(text: string, length: number): string {
  return [...text].slice(0, length).join('').replace(/-+$/, '')
}
