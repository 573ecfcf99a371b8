import { nearestName } from '../text/nearest-name.ts'
import { ConfigError, variableNames } from './config.ts'

/** What else begins with LECTERN_: what commands that call a server read, tests, and what Kubernetes sets for a service. */
const otherNames = /^LECTERN_(?:URL$|KEY$|PROFILE$|TEST_|CI_|SERVICE_(?:HOST|PORT)|PORT_\d)/

/**
 * The LECTERN_ variables that no setting has, as sentences for people. Throws `ConfigError` for those that are a typing error
 * or two away from a setting: what they were meant to set would silently be the default.
 */
export function checkVariableNames(environment: Record<string, string | undefined>): string[] {
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith('LECTERN_') && !variableNames.includes(name) && !otherNames.test(name))
    .filter((name) => environment[name] !== '' && !(environment[name] ?? '').startsWith('tcp://'))
    .map((name) => ({ name, meant: nearestName(name, variableNames) }))
  const mistyped = unknown.filter(({ meant }) => meant !== null)
  if (mistyped.length > 0) {
    throw new ConfigError(
      mistyped.map(({ name, meant }) => `${name}: there is no such setting. Did you mean ${meant}?`).join('\n'),
    )
  }
  return unknown.map(({ name }) => {
    const bare = name.slice('LECTERN_'.length)
    const hint = variableNames.includes(bare) ? ` Did you mean ${bare}?` : ''
    return `${name} is not a setting of Lectern and changes nothing.${hint}`
  })
}
