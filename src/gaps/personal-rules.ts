import type { Rule } from './redaction-rule.ts'

/**
 * Prefixes and lengths of card numbers (ISO/IEC 7812): Visa, Mastercard, Amex, Diners, Discover, JCB, UnionPay,
 * Maestro.
 */
const cardNumberPattern = new RegExp(
  `^(?:${[
    String.raw`4\d{15}(?:\d{3})?`,
    String.raw`5[1-5]\d{14}`,
    String.raw`2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}`,
    String.raw`3[47]\d{13}`,
    String.raw`3(?:0[0-5]|[689]\d)\d{11}`,
    String.raw`35\d{14}`,
    String.raw`62\d{14,17}`,
    String.raw`(?:50|5[6-8]|6[0-9])\d{14,17}`,
  ].join('|')})$`,
)

/**
 * The length of the card number at the start of a match, 0 if there is none. An expiry date or check code may follow
 * it.
 */
function cardLength(match: string): number {
  for (const candidate of [match, match.replace(/[\s.-]\d{1,3}$/, '')]) {
    const digits = candidate.replaceAll(/\D/g, '')
    if (cardNumberPattern.test(digits) && passesLuhnCheck(digits)) return candidate.length
  }
  return 0
}

/** The Luhn check (ISO/IEC 7812-1, annex B). */
function passesLuhnCheck(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/**
 * The length of the phone number at the start of a match: as many digit groups as have `minDigits` to `maxDigits`
 * digits together, 0 if there is none. Decimal numbers and ISBNs do not count.
 */
function phoneLength(minDigits: number, maxDigits = 15) {
  return (match: string, rest: string): number =>
    isDecimal(match) || isIsbn(rest) ? 0 : namedPhoneLength(minDigits, maxDigits)(match)
}

/** Like `phoneLength`, after a word such as "tel", where decimal numbers and ISBNs count as phone numbers. */
function namedPhoneLength(minDigits: number, maxDigits = 15) {
  return (match: string): number => {
    if (isDate(match)) return 0
    for (let size = match.length; size > 0; size = match.slice(0, size).search(/\D+\d+\)?$/)) {
      const count = match.slice(0, size).replaceAll(/\D/g, '').length
      if (count <= maxDigits) return count < minDigits ? 0 : size
    }
    return 0
  }
}

function isDate(match: string): boolean {
  return /^(?:\d{1,2}([./-])\d{1,2}\1(?:\d{2}|\d{4})|(?:19|20)\d\d([./-])\d{1,2}\2\d{1,2})(?![./-]?\d)/.test(match)
}

function isDecimal(match: string): boolean {
  return /^\d+\.\d+$/.test(match)
}

/** An ISBN (ISO 2108): 13 digits that start with 978 or 979, or 10 digits of which the last is the check digit. */
function isIsbn(rest: string): boolean {
  if (/^97[89](?:[\s-]?\d){10}(?![\s-]?\d)/.test(rest)) return true
  const digits = /^\d{10}(?!\d)/.exec(rest)?.[0] ?? ''
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (10 - index), 0)
  return digits !== '' && sum % 11 === 0
}

const atPattern = String.raw`(?:@|%40|\s?[[(]at[\])]\s?)`
const dotPattern = String.raw`(?:\.|\s?[[(]dot[\])]\s?)`
/** A mailbox, except the user of a code host (`git@github.com`). A version such as `1.2.3-rc.next` is not a domain. */
const mailboxPattern =
  String.raw`(?:"[^"\s@]{1,64}"|(?<![\p{L}\p{N}])(?!git@(?:github|gitlab|bitbucket)\.)[\p{L}\p{N}_][\p{L}\p{N}._%+'-]*)` +
  String.raw`${atPattern}(?!\d+\.\d)[\p{L}\p{N}-]+(?:${dotPattern}[\p{L}\p{N}-]+)*${dotPattern}\p{L}[\p{L}\p{N}-]+`

/** The separators between groups of digits. */
const separatorPattern = String.raw`[\s./()\u2010-\u2015-]`
const phoneHints =
  'tel|telephone|telefon|t[eé]l[eé]phone|tel[eé]fono|phone|mobile|mobil|m[oó]vil|handy|cell|cellphone|whatsapp|fax|sms|' +
  '(?:call|reach) me(?: at| on)?|phone number(?: is)?|(?:my )?number is'

const phoneRules: [pattern: string, length: Rule['length']][] = [
  // With a country code (ITU-T E.123), or with 00 in place of +
  [String.raw`(?<![\w+])\+\s?\(?\d{1,4}\)?(?:${separatorPattern}{0,2}\d){5,14}(?!\d)`, phoneLength(8)],
  [String.raw`(?<![\w.,+-])00[1-9](?:${separatorPattern}{0,2}\d){7,13}(?!\w)`, phoneLength(10, 17)],
  // North America: (415) 555-2671, 1-415-555-2671
  [
    String.raw`(?<![\w+.-])(?:1[\s.-])?(?:\([2-9]\d{2}\)\s?|[2-9]\d{2}[\s.-])[2-9]\d{2}[\s.-]\d{4}(?!\w)(?![.-]\d)`,
    phoneLength(10, 11),
  ],
  // With the trunk prefix 0 of most countries
  [
    String.raw`(?<![\w.,+/-])\(?0[1-9]\d{0,3}\)?(?:${separatorPattern}{1,2}\d{2,8}){1,6}(?!\w)(?![.-]\d)`,
    phoneLength(9, 12),
  ],
  [String.raw`(?<![\w.,+/=-])0[1-9]\d{8,10}(?!\w)(?![.,-]\d)`, phoneLength(10, 12)],
  // With an area code in parentheses; not after a number, where it is a journal's volume and issue
  [String.raw`(?<!\w)(?<!\d\s)\((?!19|20)\d{2,4}\)[\s-]?\d{3,5}[\s.-]?\d{3,5}(?![\w-])`, phoneLength(9)],
  // In any form after a word that announces a phone number
  [
    String.raw`(?<=\b(?:${phoneHints})[\s.:#=]{1,4})\+?\(?\d(?:${separatorPattern}{0,2}\d){6,14}(?!\w)`,
    namedPhoneLength(7),
  ],
]

/** Email addresses, card numbers and phone numbers. */
export const personalRules: readonly Rule[] = [
  { replacement: '[email]', pattern: new RegExp(mailboxPattern, 'giu') },
  {
    replacement: '[card number]',
    pattern:
      /(?<!\d)(?<!\d[.,-])(?:\d{4}([\s.-]?)\d{4}\1\d{4}\1\d{2,4}(?:\1\d{1,3})?|3\d{3}([\s.-]?)\d{6}\2\d{4,5})(?!\d)/g,
    length: cardLength,
  },
  ...phoneRules.map(([pattern, length]) => ({
    replacement: '[phone number]',
    pattern: new RegExp(pattern, 'gi'),
    length,
  })),
]
