/**
 * The headers of every response of a server, unless its route sets others: no guessing of types, no address in `Referer`,
 * nothing stored by caches, nothing loaded by or framed in a page, and https for a year where the base URL is https (RFC 6797; subdomains are not the server's to
 * decide for).
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
