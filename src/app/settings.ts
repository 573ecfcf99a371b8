import type { UrlPolicy } from '../imports/url/fetch-file.ts'
import type { Config } from './config.ts'

/** What use cases read of the configuration. */
export function settingsOf(
  { clientTelemetry, signUp, importUrl, baseUrl }: Config,
  { urlImports }: { urlImports: Omit<UrlPolicy, 'mode'> },
) {
  return { clientTelemetry, signUpMode: signUp, urlImports: { mode: importUrl, ...urlImports }, baseUrl }
}
