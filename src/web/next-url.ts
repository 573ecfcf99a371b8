/** Where to go on after signing in: the address of a page of this server, whatever was asked for. */
export function safeNextUrl(baseUrl: string, requested: string | null): string {
  const fallback = `${baseUrl}/account`
  if (requested === null || requested.length > 2000 || !requested.startsWith('/')) return fallback
  if (!URL.canParse(requested, baseUrl)) return fallback
  const address = new URL(requested, baseUrl)
  return address.origin === new URL(baseUrl).origin ? address.href : fallback
}

/** The sign-in page that leads to `path` afterwards, with an address filled in where one is known. */
export function signInPath(path: string, email: string | null = null): string {
  const emailParameter = email === null ? '' : `&email=${encodeURIComponent(email)}`
  return `/sign-in?next=${encodeURIComponent(path)}${emailParameter}`
}
