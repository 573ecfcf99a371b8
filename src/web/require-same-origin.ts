import { AppError } from '../core/errors.ts'

/**
 * Refuses cross-site requests other than GET and HEAD with ORIGIN_NOT_ALLOWED, based on `Sec-Fetch-Site` and `Origin`.
 * Clients that send neither header are only stopped by the CSRF token.
 */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const isCrossSite = site !== null && site !== 'same-origin' && site !== 'none'
  if (!isCrossSite && (origin === null || origin === new URL(baseUrl).origin)) return
  throw new AppError('ORIGIN_NOT_ALLOWED', `Another site sent this request. Open ${baseUrl} and try again there.`)
}
