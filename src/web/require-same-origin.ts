import { AppError } from '../core/errors.ts'

/**
 * Refuses a request that changes something and that a page of another site sent: by `Sec-Fetch-Site` and by `Origin`.
 * Programs that send neither are held by the token alone.
 */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const isCrossSite = site !== null && site !== 'same-origin' && site !== 'none'
  if (!isCrossSite && (origin === null || origin === new URL(baseUrl).origin)) return
  throw new AppError(
    'ORIGIN_NOT_ALLOWED',
    `This was sent from another address than ${baseUrl}. Open that one and repeat it.`,
  )
}
