import { AppError } from '../core/errors.ts'
import type { ClientNeeds, Route } from '../core/tool.ts'

/** The adjustments for the program that sends a request on this route; undefined for all others. */
export function needsOfClient(request: Request, { legacy }: Route): ClientNeeds | undefined {
  const needs = legacy?.clientNeeds
  return needs && request.headers.get('user-agent')?.startsWith(needs.agent) ? needs : undefined
}

/** Adjusts the body of an answer for the client. */
export function shapeBody(body: unknown, needs: ClientNeeds | undefined): unknown {
  return needs?.omitNull ? omitNull(body) : body
}

function omitNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNull)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name, omitNull(each)]),
  )
}

/** Adjusts a refusal for lack of a plan for the client. */
export function shapeRefusal(error: unknown, needs: ClientNeeds | undefined, baseUrl: string): unknown {
  if (!needs?.upgradePath || !(error instanceof AppError)) return error
  const { code, message, details } = error
  const { upgradeUrl } = details
  if (typeof upgradeUrl !== 'string' || !upgradeUrl.startsWith(`${baseUrl}/`)) return error
  return new AppError(code, message, { details: { ...details, upgradeUrl: upgradeUrl.slice(baseUrl.length) } })
}
