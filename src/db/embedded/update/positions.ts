import { CommandError } from '../errors/command-error.ts'
import { compileFilter } from '../query/match.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** Compiles `arrayFilters`: per identifier, the test of one array element. */
export function compileArrayFilters(filters: Doc[], scope: Scope): Map<string, (element: Value) => boolean> {
  const compiled = new Map<string, (element: Value) => boolean>()
  for (const filter of filters) {
    const identifier = identifierOf(filter)
    if (compiled.has(identifier)) {
      throw new CommandError(
        'FailedToParse',
        `Found multiple array filters with the same top-level field name ${identifier}`,
      )
    }
    const matches = compileFilter(filter, scope)
    compiled.set(identifier, (element) => matches({ [identifier]: element }))
  }
  return compiled
}

function identifierOf(filter: Doc): string {
  const names = new Set(topLevelNames(filter))
  const [identifier, second] = names
  if (identifier === undefined) {
    throw new CommandError('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters')
  }
  if (second !== undefined) {
    throw new CommandError(
      'FailedToParse',
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${identifier}' and '${second}'`,
    )
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
    throw new CommandError(
      'BadValue',
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
    )
  }
  return identifier
}

function topLevelNames(filter: Doc): string[] {
  return Object.keys(filter).flatMap((name) => {
    const argument = filter[name]
    if (!name.startsWith('$')) return [name.split('.')[0] ?? '']
    return Array.isArray(argument) ? argument.flatMap((entry) => topLevelNames(asDoc(entry) ?? {})) : []
  })
}
