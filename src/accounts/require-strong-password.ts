import { AppError } from '../core/errors.ts'

/** Frequent passwords of leaked lists with 8 characters or more, without trailing digits. */
const commonPasswords = new Set(
  (
    'password passw0rd p@ssword p@ssw0rd qwertyui qwertyuiop qwerty asdfghjk asdfghjkl zxcvbnm 1q2w3e4r 1q2w3e4r5t 1qaz2wsx ' +
    'iloveyou princess sunshine football baseball superman starwars welcome letmein trustno whatever computer internet ' +
    'michelle jennifer corvette maverick midnight samantha liverpool chocolate administrator changeme lectern'
  ).split(' '),
)

/**
 * Refuses a weak new password with INVALID_INPUT: a very common one, one or two distinct characters, a row of digits,
 * or the address.
 */
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
  throw new AppError(
    'INVALID_INPUT',
    'This password is too easy to guess. Choose another one, such as four random words.',
    {
      details: { field: 'password' },
    },
  )
}
