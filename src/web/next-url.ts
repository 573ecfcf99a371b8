/** Where to go on after signing in: the address of a page of this server, whatever was asked for. */
export function nextAddress(baseUrl: string, wanted: string | null): string {
  const fallback = `${baseUrl}/account`
  if (wanted === null || wanted.length > 2000 || !wanted.startsWith('/')) return fallback
  if (!URL.canParse(wanted, baseUrl)) return fallback
  const address = new URL(wanted, baseUrl)
  return address.origin === new URL(baseUrl).origin ? address.href : fallback
}

/** The sign-in page that leads to `path` afterwards, with an address filled in where one is known. */
export function signInPath(path: string, email: string | null = null): string {
  const filledIn = email === null ? '' : `&email=${encodeURIComponent(email)}`
  return `/sign-in?next=${encodeURIComponent(path)}${filledIn}`
}
