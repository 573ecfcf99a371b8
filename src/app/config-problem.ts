import type { z } from 'zod'

/** Settings that may contain a password or a secret; their values are never printed. */
const secretSettings = /SECRET|PASSWORD|KEY|URL/

/** Describes an invalid variable and its valid values, as `NAME: what to do`. Never prints a secret. */
export function describeProblem(issue: z.core.$ZodIssue, environment: Record<string, string | undefined>): string {
  const name = issue.path.join('.')
  const value = environment[name]
  const requirement = requirementOf(issue)
  const showsValue = value !== undefined && requirement.startsWith('must be ') && !secretSettings.test(name)
  return `${name}: ${requirement}${showsValue ? `, not "${value}"` : ''}`
}

function requirementOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String)
    return values.includes('true') ? 'must be true or false' : `must be ${listOf(values)}`
  }
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return 'must be an address, such as https://example.com'
  return issue.message
}

function listOf(values: readonly string[]): string {
  const last = values.at(-1) ?? ''
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`
}
