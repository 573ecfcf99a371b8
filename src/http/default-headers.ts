/**
 * The default headers of every response: no MIME sniffing, no `Referer`, no caching, no loading by or framing in a
 * page, and HSTS for one year if the base URL is https (RFC 6797; without subdomains, which may not belong to the
 * server). A route can override them.
 */
export function defaultHeaders(baseUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
}
