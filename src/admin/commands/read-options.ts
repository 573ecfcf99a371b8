import type { z } from 'zod'
import { UsageError } from '../../cli/usage-error.ts'
import { kebabCase } from '../../core/kebab-case.ts'
import { nearestName } from '../../text/nearest-name.ts'

export { UsageError }

/** A command's name, its options as shown in the help text, and the schema that parses them: strings, or true for a switch. */
export interface OptionsOf<S extends z.ZodType> {
  name: string
  usage: string
  options: S
}

/** Parses the options of a command. Throws a `UsageError` that names every problem and ends with the usage line. */
export function readOptions<S extends z.ZodType>(
  { name, usage, options }: OptionsOf<S>,
  rawOptions: Record<string, unknown>,
): z.output<S> {
  const parsed = options.safeParse(rawOptions)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => describeProblem(issue, rawOptions, usage))
  throw new UsageError(`${problems.join('\n')}\nUsage: ${`lectern ${name} ${usage}`.trim()}`)
}

function describeProblem(issue: z.core.$ZodIssue, rawOptions: Record<string, unknown>, usage: string): string {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownOption(key, usage)).join('\n')
  const key = String(issue.path[0] ?? '')
  const option = `--${kebabCase(key)}`
  const raw = rawOptions[key]
  if (issue.code === 'custom') return `${option}: ${issue.message}`
  if (raw === undefined) return `${option} is missing`
  if (issue.code === 'invalid_type' && raw === true) return `${option} needs a value`
  if (isSwitch(option, usage)) return `${option} takes no value`
  return `${option}: ${issue.message}`
}

function unknownOption(key: string, usage: string): string {
  const known = [...usage.matchAll(/--([a-z-]+)/g)].map(([, name]) => name as string)
  const meant = nearestName(kebabCase(key), [...known, 'json'])
  return `unknown option --${kebabCase(key)}${meant === null ? '' : `. Did you mean --${meant}?`}`
}

/** True for an option without a value in the usage line. */
function isSwitch(option: string, usage: string): boolean {
  return new RegExp(`${option}(?:\\]|$)`).test(usage)
}
