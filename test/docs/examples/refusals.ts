import { createAccountContext } from '../../../src/admin/commands/account-context.ts'
import { createLog } from '../../../src/app/log.ts'
import { newId } from '../../../src/core/ids.ts'
import { errorResponse } from '../../../src/transport/refusals.ts'
import { tools } from '../../../tools/index.ts'
import { AppError, type ErrorCode } from '../../../src/core/errors.ts'
import { hasBody, type Declaration, type Route } from '../../../src/core/tool.ts'
import { defaultMaxBytes } from '../../../src/http/read-input.ts'
import { routeRefusals, type RouteRefusal } from '../../../src/http/openapi/refusal-codes.ts'
import type { RateBucket } from '../../../src/accounts/rate-limiter.ts'
import { toRequest, type RawRequest } from '../../support/transports.ts'
import type { TestServer } from '../../support/server.ts'
import type { Cast, Made } from './calls.ts'
import { passes } from './passes.ts'
import type { Caller, Recorder } from './recorder.ts'
import { refusalScenes } from './refusal-scenes.ts'

export interface Stage {
  server: TestServer
  cast: Cast
  made: Made
  recorder: Recorder
}

/** Makes every route refuse with each code that its description names, and records the responses. */
export async function playRefusals(stage: Stage): Promise<void> {
  const { recorder, cast } = stage
  for (const { code, name, as, input } of await refusalScenes(stage)) {
    await recorder.refuse(code, as ?? cast.ada, { name, ...requestFor(name, input) })
  }
  const common = await commonScenes(stage)
  // Refusals of rate limits come first, while the window of the limits lasts.
  const limitsFirst = describedRefusals().toSorted((a, b) => Number(isLimit(b)) - Number(isLimit(a)))
  for (const { tool, route, refusal } of limitsFirst) {
    const scene = common[refusal.code]
    if (!scene || unseen.has(`${tool.name} ${refusal.code}`) || recorder.hasRefusal(tool.name, refusal.code)) continue
    await recorder.refuse(refusal.code, ...scene(tool, route))
  }
  await recordMomentary(stage)
}

/** Described refusals that no example can show, each with its reason. */
export const unseen = new Map([
  ['list_items INVALID_INPUT', 'its one field has a code of its own'],
  ['get_shelf INVALID_INPUT', 'every text may be the name of a shelf'],
  ['list_book_gaps INVALID_INPUT', 'an unknown status counts as OPEN'],
  ['upload_file CONFLICT', 'two calls with one key have to end at the same moment'],
  ['import_url CONFLICT', 'two calls with one key have to end at the same moment'],
  ['remove_team_member CONFLICT', 'two owners have to leave at the same moment'],
])

interface DescribedRefusal {
  tool: Declaration
  route: Route
  refusal: RouteRefusal
}

const isLimit = ({ refusal }: DescribedRefusal) => refusal.code === 'RATE_LIMITED'

/** Returns all refusals that the document describes. */
export function describedRefusals(): DescribedRefusal[] {
  return tools.flatMap((declared) => {
    const tool: Declaration = declared
    const route = tool.rest
    if (!route) return []
    const takesInput = hasBody(route) || route.path.includes('{') || Object.keys(inputShape(tool, route)).length > 0
    return routeRefusals(tool, route, { takesInput }).map((refusal) => ({ tool, route, refusal }))
  })
}

function inputShape(tool: Declaration, route: Route): object {
  const schema = route.input ?? tool.input
  return 'shape' in schema ? (schema.shape as object) : { transformed: true }
}

/** `If-Match` belongs to the header, not to the input. */
function requestFor(name: string, { ifMatch, ...input }: Record<string, unknown>): RawRequest {
  return toRequest(name, input, ifMatch === undefined ? {} : { 'If-Match': String(ifMatch) })
}

type CommonScene = (tool: Declaration, route: Route) => [Caller, RawRequest & { name: string }]

/** Refusals that follow from the declaration. Callers and requests are the same for all routes. */
async function commonScenes({ server, cast, recorder }: Stage): Promise<Partial<Record<ErrorCode, CommonScene>>> {
  const { services } = server.running.opened
  const suspended = await server.createPerson()
  await services.accounts.change(suspended.id, { suspendedAt: services.now() })
  const limited = await exhaustLimits(server, cast.busy.accountId)
  await useKeys(server, cast)
  const few = await server.createPerson({ scopes: ['marketplace:read'] })
  const fewer = await server.createPerson({ scopes: ['library:read'] })
  const valid = ({ name }: Declaration) => ({ name, ...recorder.requestOf(name) })
  const callerOf = ({ credential }: Route): Caller => (credential === 'session' ? cast.browser : cast.ada)
  return {
    UNAUTHENTICATED: (tool) => [{ key: null, headers: { Cookie: '' } }, valid(tool)],
    INSUFFICIENT_SCOPE: (tool) => [tool.scope === 'marketplace:read' ? fewer : few, valid(tool)],
    FORBIDDEN: (tool) => [suspended, valid(tool)],
    RATE_LIMITED: (tool, { credential }) => [credential === 'session' ? cast.busy : { key: limited }, valid(tool)],
    INVALID_INPUT: (tool, route) => [callerOf(route), invalidRequest(tool, route)],
    PAYLOAD_TOO_LARGE: (tool, route) => {
      const body = JSON.stringify({ text: 'x'.repeat(route.maxBytes ?? defaultMaxBytes) })
      return [callerOf(route), { ...valid(tool), body }]
    },
    UNSUPPORTED_MEDIA_TYPE: (tool, route) => [
      callerOf(route),
      { ...valid(tool), headers: { 'Content-Encoding': 'gzip' } },
    ],
    IDEMPOTENCY_KEY_REUSED: (tool) => [cast.ada, { ...valid(tool), headers: { 'Idempotency-Key': usedKey(tool) } }],
  }
}

/** Creates a person who has used up every rate limit of the minute. Returns the key. */
async function exhaustLimits(server: TestServer, browserAccount: string): Promise<string> {
  const { rateLimiter } = server.running.opened.services
  const person = await server.createPerson()
  const buckets = new Set(tools.map(({ rateBucket }) => rateBucket).filter((bucket) => bucket !== 'none'))
  for (const bucket of buckets as Set<RateBucket>) while (await passes(() => rateLimiter.consume(person.id, bucket)));
  while (await passes(() => rateLimiter.consume(browserAccount, 'settings_writes')));
  return person.key
}

/** Makes a request that violates the schema of its route. */
function invalidRequest({ name }: Declaration, route: Route): RawRequest & { name: string } {
  const path = `${route.base ?? '/api/v1'}${route.path.replaceAll(/\{\w+\}/g, 'x'.repeat(300))}`
  if (hasBody(route)) return { name, method: route.method, path, body: '{"' }
  const query =
    route.method === 'GET' && !route.path.includes('{') ? '?limit=many&sessionsLimit=many&unread=maybe&status=none' : ''
  return { name, method: route.method, path: `${path}${query}` }
}

const usedKey = ({ name }: Declaration) => `used-for-${name}`

/** Uses an idempotency key of each tool that accepts one, with a request that differs from the examples. */
async function useKeys(server: TestServer, { ada }: Cast): Promise<void> {
  const { services } = server.running.opened
  const account = await services.accounts.byId(ada.id)
  if (!account) throw new Error('Ada has no account')
  const ctx = createAccountContext({ services, log: createLog('silent') }, account)
  for (const tool of tools) {
    const call = { name: tool.name, raw: { another: 'request' } }
    await services.idempotency.runOnce({ ...ctx, idempotencyKey: usedKey(tool) }, call, () => Promise.resolve({}))
  }
}

/** Refusals that depend on timing or on a failure. They come from the code that produces them in a server. */
const momentaryRefusals: Partial<Record<ErrorCode, Error>> = {
  UNAVAILABLE: Object.assign(new Error('connection lost'), { name: 'MongoNetworkError' }),
  STORAGE_FULL: new AppError('STORAGE_FULL', 'The server has no space left. Tell its administrator.'),
  TRANSIENT_CONFLICT: new AppError('TRANSIENT_CONFLICT', 'The same request is still running. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  }),
}

async function recordMomentary({ recorder }: Stage): Promise<void> {
  for (const { tool, route, refusal } of describedRefusals()) {
    const error = momentaryRefusals[refusal.code]
    if (!error) continue
    const options = { requestId: newId(), log: createLog('silent'), codesWithoutCode: route.legacy?.codesWithoutCode }
    recorder.addRefusal(tool.name, refusal, await errorResponse(error, options).json())
  }
}
