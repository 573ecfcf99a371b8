import type { Visit } from './visit.ts'

/** The URL to continue at after sign-in: `requested` if it is a page of this server, otherwise the library. */
export function safeNextUrl(baseUrl: string, requested: string | null): string {
  const fallback = `${baseUrl}/`
  if (requested === null || requested.length > 2000 || !requested.startsWith('/')) return fallback
  if (!URL.canParse(requested, baseUrl)) return fallback
  const address = new URL(requested, baseUrl)
  return address.origin === new URL(baseUrl).origin ? address.href : fallback
}

/** The path of the sign-in page that continues at `path`, with the email address filled in if it is known. */
export function signInPath(path: string, email: string | null = null): string {
  const emailParameter = email === null ? '' : `&email=${encodeURIComponent(email)}`
  return `/sign-in?next=${encodeURIComponent(path)}${emailParameter}`
}

/** The path of another page before sign-in, such as `/sign-up`, from which sign-in continues at `next`; empty: nowhere. */
export function keepNext(path: string, next: string): string {
  if (next === '') return path
  return `${path}${path.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`
}

/** The path of the sign-in page for a form that arrived after its session had ended; it continues at the page of the form. */
export function signInAgainPath(visit: Pick<Visit, 'request' | 'site'>): string {
  return `${signInPath(pageOfForm(visit))}&done=ended`
}

/** The path of the page whose form was sent; the account page if the browser does not name it. */
function pageOfForm({ request, site }: Pick<Visit, 'request' | 'site'>): string {
  const referrer = request.headers.get('referer') ?? ''
  if (!referrer.startsWith(`${site.baseUrl}/`) || !URL.canParse(referrer)) return '/account'
  const { pathname, search } = new URL(referrer)
  return pathname + search
}
