import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { AppError } from '../core/errors.ts'

/**
 * Minimum number of guesses that a password must withstand, as in the estimator's score 3 of 4. Eight random characters
 * just reach it; leaked passwords, names, dates, keyboard patterns and their usual variations do not.
 */
const minGuesses = 1e8

/** Number of examined characters; the time of an estimate grows with the square of the length. */
const maxEstimatedLength = 64

/**
 * Refuses a new password that is easy to guess with INVALID_INPUT, according to zxcvbn, which knows the most common
 * leaked passwords. Words of the account's own address and name count as common.
 */
export async function requireStrongPassword(password: string, email: string, name = ''): Promise<void> {
  const estimator = await (loading ??= loadEstimator())
  const { guesses } = estimator.check(password.slice(0, maxEstimatedLength), personalWords(email, name))
  if (guesses >= minGuesses) return
  throw new AppError(
    'INVALID_INPUT',
    'This password is too easy to guess. Choose another one, such as four random words.',
    {
      details: { field: 'password' },
    },
  )
}

let loading: Promise<ZxcvbnFactory> | undefined

/**
 * Loads the word lists lazily at the first new password of the process, because they take 0.14 s and 21 MB of memory.
 */
async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  // With the default of 100 substitutions (such as 3 for e), 64 characters take five times as long.
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 })
}

const minWordLength = 3

function personalWords(email: string, name: string): string[] {
  const [mailbox = '', domain = ''] = email.split('@')
  const words = [email, mailbox, domain, name, 'lectern', ...`${mailbox} ${domain} ${name}`.split(/[^\p{L}\p{N}]+/u)]
  return words.filter((word) => word.length >= minWordLength).map((word) => word.slice(0, maxEstimatedLength))
}
