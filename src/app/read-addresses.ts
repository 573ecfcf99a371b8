/** Reads the base URL, without a trailing slash; adds a line to `problems` if it has more than a scheme, a host and a port. */
export function readBaseUrl(text: string, problems: string[]): string {
  const baseUrl = text.replace(/\/+$/, '')
  if (!hasOnlyOrigin(new URL(baseUrl)))
    problems.push('LECTERN_BASE_URL: must have nothing after the host and the port, such as https://books.example.com')
  return baseUrl
}

/** Reads browser origins as browsers send them (RFC 6454, section 6.2); adds a line to `problems` for each other value. */
export function readOrigins(values: readonly string[], problems: string[]): readonly string[] {
  return values.map((value) => {
    const url = URL.parse(value)
    if (!url || !hasOnlyOrigin(url)) {
      problems.push(
        `LECTERN_ALLOWED_ORIGINS: ${value} is not an origin; name a scheme and a host, as in https://app.example.com`,
      )
      return value
    }
    // Only the schemes of the web have an origin in Node; browser extensions and apps have their own schemes.
    return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
  })
}

/** Reads hosts as URLs contain them; adds a line to `problems` for each value that is more than a host and a port. */
export function readHosts(values: readonly string[], problems: string[]): readonly string[] {
  return values.map((value) => {
    const url = URL.parse(`https://${value}`)
    if (url && hasOnlyOrigin(url) && !value.includes('/')) return url.host
    problems.push(
      `LECTERN_OAUTH_CLIENT_HOSTS: ${value} is not a host; name it as in apps.example.com or apps.example.com:8443`,
    )
    return value
  })
}

function hasOnlyOrigin({ host, pathname, search, hash, username, password }: URL): boolean {
  return host !== '' && /^\/?$/.test(pathname) && `${search}${hash}${username}${password}` === ''
}
