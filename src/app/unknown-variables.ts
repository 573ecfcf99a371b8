import { nearestName } from '../text/nearest-name.ts'
import { ConfigError, variableNames } from './config.ts'

/**
 * Other variables with the prefix LECTERN_: those of commands that call a server, of tests, and those that Kubernetes
 * sets for a service.
 */
const otherNames = /^LECTERN_(?:URL$|KEY$|PROFILE$|TEST_|CI_|SERVICE_(?:HOST|PORT)|PORT_\d)/

/**
 * Warnings about LECTERN_ variables that are not settings. Throws `ConfigError` for those within two typing errors of a
 * setting, because that setting would silently have its default.
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
