import { AppError } from '../core/errors.ts'

/** What lists of leaked passwords begin with, of those that have 8 characters or more; without digits at the end. */
const commonPasswords = new Set(
  (
    'password passw0rd p@ssword p@ssw0rd qwertyui qwertyuiop qwerty asdfghjk asdfghjkl zxcvbnm 1q2w3e4r 1q2w3e4r5t 1qaz2wsx ' +
    'iloveyou princess sunshine football baseball superman starwars welcome letmein trustno whatever computer internet ' +
    'michelle jennifer corvette maverick midnight samantha liverpool chocolate administrator changeme lectern'
  ).split(' '),
)

/** Refuses a new password that would be guessed first: a very common one, one character, a row of digits, the address. */
export function requireStrongPassword(password: string, email: string): void {
  const lowerCase = password.toLowerCase()
  const stem = lowerCase.replace(/[\d!.?*#_-]+$/, '')
  const address = email.toLowerCase()
  const weak =
    commonPasswords.has(lowerCase) ||
    commonPasswords.has(stem) ||
    new Set(lowerCase).size <= 2 ||
    '01234567890123456789'.includes(lowerCase) ||
    '98765432109876543210'.includes(lowerCase) ||
    lowerCase === address ||
    stem === address.split('@')[0]
  if (!weak) return
  throw new AppError('INVALID_INPUT', 'This password would be guessed soon. Choose another one, such as four words.', {
    details: { field: 'password' },
  })
}
