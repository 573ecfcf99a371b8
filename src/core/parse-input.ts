import type { z } from 'zod'
import { AppError, type ErrorCode } from './errors.ts'

/** Validates untrusted input; the first problem is refused with INVALID_INPUT and a message that names the field. */
export function parseInput<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const parsed = schema.safeParse(raw, { error: describeIssue })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const code = issue?.code === 'custom' ? (issue.params?.['errorCode'] as ErrorCode | undefined) : undefined
  throw new AppError(code ?? 'INVALID_INPUT', issue?.message ?? 'Invalid input', {
    details: issue ? fieldDetails(issue) : {},
  })
}

function fieldDetails(issue: z.core.$ZodIssue): { field?: string } {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, shorten(issue.keys[0] ?? '')] : issue.path
  return path.length > 0 ? { field: path.join('.') } : {}
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
  const field = issue.path?.length ? issue.path.map(String).join('.') : 'input'
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? `${field} is required` : `${field} must be ${withArticle(issue.expected)}`
    case 'unrecognized_keys':
      return `${describeKeys(issue.keys, issue.path?.length ? `${field}.` : '')}: unknown field`
    case 'too_big':
      return `${field} must be at most ${amountOf(issue.maximum, issue.origin)}`
    case 'too_small':
      return `${field} must be at least ${amountOf(issue.minimum, issue.origin)}`
    case 'invalid_value':
      return `${field} must be one of ${issue.values.map(String).join(', ')}`
    default:
      return `${field}: ${issue.message ?? 'invalid value'}`
  }
}

/** Number of unknown fields that a refusal names, and how many characters of each: callers choose them. */
const maxNamedKeys = 10
const maxKeyLength = 60

function describeKeys(keys: readonly string[], prefix: string): string {
  const named = keys.slice(0, maxNamedKeys).map((key) => prefix + shorten(key))
  return keys.length > named.length ? `${named.join(', ')} and ${keys.length - named.length} more` : named.join(', ')
}

function shorten(key: string): string {
  return key.length > maxKeyLength ? `${key.slice(0, maxKeyLength).toWellFormed()}…` : key
}

function withArticle(type: string): string {
  const name = type === 'int' ? 'integer' : type
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

/** A limit with its unit: `1 character long`, `2 entries long`; of a number, without a unit. */
function amountOf(limit: number | bigint, origin: string): string {
  const [one, many] = units.get(origin) ?? []
  return one === undefined ? `${limit}` : `${limit} ${limit === 1 ? one : many} long`
}

const units = new Map([
  ['string', ['character', 'characters']],
  ['array', ['entry', 'entries']],
])
