import { StartError } from '../core/start-error.ts'

/** MongoDB error codes of an account that is missing, wrong or without rights: 13, 18, and 8000 of MongoDB Atlas. */
const refusedAccountCodes = new Set<unknown>([13, 18, 8000])

/** Names of the driver's errors for a URL that it cannot use. */
const wrongUrlNames = new Set([
  'MongoParseError',
  'MongoAPIError',
  'MongoInvalidArgumentError',
  'MongoMissingCredentialsError',
])

const variable = 'LECTERN_MONGODB_URL'

/**
 * Converts a driver error during startup to a `StartError`, and returns any other error unchanged. Messages never
 * contain the password of the URL; they name what the URL was given with, `source`.
 */
export function databaseFailure(error: unknown, url: string, source = variable): unknown {
  if (!(error instanceof Error)) return error
  const database = `The database at ${hostsOf(url)}`
  if (error.name === 'MongoServerSelectionError' || isFailedLookup(error)) {
    const without = source === variable ? '; without that variable the data is in the data directory' : ''
    return new StartError(`${database} does not answer (${error.message}). Start it, or correct ${source}${without}.`, {
      cause: error,
    })
  }
  if (wrongUrlNames.has(error.name)) return wrongUrlError(source)
  if ('code' in error && refusedAccountCodes.has(error.code)) {
    return new StartError(`${database} refuses the user name or the password of ${source}.`, { cause: error })
  }
  return error
}

/**
 * The error for a URL that the driver cannot use. It quotes nothing, because the driver's reason may contain a
 * password.
 */
export function wrongUrlError(source = variable): StartError {
  return new StartError(
    `${source} cannot be read as mongodb://USER:PASSWORD@HOST:PORT/DATABASE. Percent-encode special characters of the user name and the password, and check the options.`,
  )
}

/** True if a `mongodb+srv` lookup failed. */
function isFailedLookup(error: Error): boolean {
  return 'syscall' in error && typeof error.syscall === 'string' && error.syscall.startsWith('query')
}

/** The hosts and ports of a URL, without user name and password. */
export function hostsOf(url: string): string {
  return /^mongodb(?:\+srv)?:\/\/(?:.*@)?([^/?]*)/s.exec(url)?.[1] ?? ''
}
