/** Schemes that browsers execute or handle themselves instead of passing them to a program. */
const browserSchemes = new Set(
  ['about', 'blob', 'data', 'file', 'filesystem', 'ftp', 'http', 'https', 'intent', 'javascript'].concat([
    'mailto',
    'tel',
    'vbscript',
    'view-source',
    'ws',
    'wss',
  ]),
)

/**
 * Validates the schemes of programs to which OAuth may redirect (RFC 8252, section 7.1); adds one line to `problems`
 * for each invalid one.
 */
export function readRedirectSchemes(schemes: readonly string[], problems: string[]): readonly string[] {
  for (const scheme of schemes) {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || browserSchemes.has(scheme))
      problems.push(`LECTERN_OAUTH_REDIRECT_SCHEMES: ${scheme} is not the scheme of a program; name it as in myeditor`)
  }
  return schemes
}
