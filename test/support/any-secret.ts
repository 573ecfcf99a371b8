import * as fc from 'fast-check'
import { generateApiKey } from '../../src/accounts/api-key.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const digits = '0123456789'
const stringOf = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })
const numbers = (length: number) => stringOf(digits, length)
const alnum = (length: number) => stringOf(letters + digits, length)
const hex = (length: number) => stringOf('0123456789abcdef', length)
const base64url = (length: number) => stringOf(`${letters}${digits}-_`, length)
const prefixed = (prefix: string, rest: fc.Arbitrary<string>) => rest.map((text) => prefix + text)
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''))

/** Appends the Luhn check digit. */
function withCheckDigit(body: string): string {
  let sum = 0
  for (let i = 0; i < body.length; i++) {
    const digit = Number(body[body.length - 1 - i])
    const doubled = i % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return body + ((10 - (sum % 10)) % 10)
}

const card = fc
  .tuple(fc.constantFrom('4', '51', '55', '2221', '6011', '35'), numbers(15), fc.constantFrom('', ' ', '-'))
  .map(([issuer, rest, gap]) => {
    const number = withCheckDigit((issuer + rest).slice(0, 15))
    return gap === '' ? number : (number.match(/\d{4}/g) as string[]).join(gap)
  })

const phone = fc.oneof(
  joined(
    fc.constantFrom('+1 ', '+49', '+44 ', '+351-'),
    stringOf('123456789', 3),
    fc.constantFrom(' ', '-', ''),
    numbers(6),
  ),
  joined(
    stringOf('23456789', 1),
    numbers(2),
    fc.constant('-'),
    stringOf('23456789', 1),
    numbers(2),
    fc.constant('-'),
    numbers(4),
  ),
  joined(
    fc.constant('0'),
    stringOf('123456789', 2),
    fc.constantFrom(' ', '-'),
    stringOf('456789', 3),
    fc.constant(' '),
    numbers(5),
  ),
)

const email = joined(
  stringOf('abcdefghijklmnopqrstuvwxyz', 5),
  fc.constantFrom('', '.', '+'),
  alnum(4),
  fc.constant('@'),
  stringOf('abcdefghijklmnopqrstuvwxyz', 6),
  fc.constantFrom('.com', '.co.uk', '.museum'),
)

const key = fc.oneof(
  fc.constantFrom('lectern' as const, 'ck' as const).map((prefix) => generateApiKey(prefix)),
  prefixed('ck_oauth_', base64url(43)),
  prefixed('ghp_', alnum(36)),
  prefixed('sk-', alnum(48)),
  prefixed('sk-ant-api03-', base64url(93)),
  prefixed('AKIA', stringOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  prefixed('AIza', base64url(35)),
  prefixed('xoxb-123456789012-', alnum(24)),
  prefixed('shpat_', hex(32)),
)

const token = fc.oneof(
  joined(fc.constant('eyJhbGciOiJIUzI1NiJ9.eyJ'), base64url(20), fc.constant('.'), base64url(43)),
  joined(fc.constant('-----BEGIN PRIVATE KEY-----\n'), alnum(64), fc.constant('\n-----END PRIVATE KEY-----')),
  joined(fc.constant('https://jane:'), alnum(12), fc.constant('@example.com')),
)

/** Sensitive data in one of the forms in which people paste it. */
export const anySecret = fc.oneof(email, phone, card, key, token)
