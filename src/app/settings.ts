import type { UrlPolicy } from '../imports/url/fetch-file.ts'
import type { Config } from './config.ts'

/** The part of the configuration that use cases read. */
export function settingsOf(
  { clientTelemetry, signUp, importUrl, baseUrl, command }: Config,
  { urlImports }: { urlImports: Omit<UrlPolicy, 'mode'> },
) {
  return { clientTelemetry, signUpMode: signUp, urlImports: { mode: importUrl, ...urlImports }, baseUrl, command }
}
