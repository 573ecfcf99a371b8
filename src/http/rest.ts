import type { Context as HonoContext, Hono } from 'hono'
import { cors } from 'hono/cors'
import { encodeJson } from '../runtime/json-encoder.ts'
import { AppError } from '../core/errors.ts'
import { addressOf, type BoundTool, type Route } from '../core/tool.ts'
import { callerOf } from '../transport/authentication.ts'
import { cachedJson } from './respond-cacheable.ts'
import { errorResponse } from '../transport/refusals.ts'
import { createEventStreams, type Entry, type EventStreams } from './event-streams.ts'
import { readInput } from './read-input.ts'
import { rateHeaders, restBudget } from '../transport/rate-headers.ts'
import type { Env, Gate } from '../transport/request-state.ts'

interface Doors {
  gate: Gate
  streams: EventStreams
}

/** Mounts the routes that tools declare; streams of events end with `ending`. */
export function mountRest(
  app: Hono<Env>,
  tools: readonly BoundTool[],
  { gate, ending }: { gate: Gate; ending: AbortSignal },
) {
  const doors = { gate, streams: createEventStreams(ending) }
  const routes = tools.flatMap((tool) => (tool.rest ? [{ tool, route: tool.rest }] : []))
  // First: the end of their paths would be taken for a value.
  for (const { tool, route } of routes) {
    if (route.events) app.get(honoPath(addressOf({ ...route, ...route.events })), watcherOf(tool, route, doors))
  }
  for (const { tool, route } of routes) {
    const path = honoPath(addressOf(route))
    if (route.credential === 'none') app.use(path, cors({ exposeHeaders: ['ETag', 'X-Request-Id'], maxAge: 600 }))
    app.on(route.method, path, handlerOf(tool, route, doors))
  }
}

function handlerOf(tool: BoundTool, route: Route, { gate }: Doors) {
  return async (c: HonoContext<Env>): Promise<Response> => {
    const scene = c.get('scene')
    scene.name = tool.name
    let admitted = false
    try {
      const actor = await callerOf(c.req.raw, route, gate)
      scene.actorId = actor.id
      const call = gate.call(c.req.raw, scene, { actor, door: 'rest', budget: restBudget })
      const output = await tool.call(call, () => {
        admitted = true
        return readInput(c.req.raw, tool, c.req.param())
      })
      const status = typeof route.status === 'function' ? route.status(output) : (route.status ?? 200)
      if (route.maxAge !== undefined) return cachedJson(c.req.raw, output, { status, maxAge: route.maxAge })
      const headers = { 'Content-Type': 'application/json', ...rateHeaders(scene.rate), ...secrecy(route) }
      return new Response(encodeJson(bodyOf(route, output)), { status, headers })
    } catch (error) {
      if (route.onRefused && admitted && error instanceof AppError) return Response.json(route.onRefused)
      const ifMatch = route.ifMatch !== undefined && c.req.raw.headers.has('if-match')
      return errorResponse(error, { ...scene, withoutCode: route.withoutCode, invalid: route.invalid, ifMatch })
    }
  }
}

/** Watches the list that a tool gives: it is called again and again, its caller asked for each time. */
function watcherOf(tool: BoundTool, route: Route, { gate, streams }: Doors) {
  const { each = '', name = '' } = route.events ?? {}
  return async (c: HonoContext<Env>): Promise<Response> => {
    const scene = c.get('scene')
    const request = c.req.raw
    scene.name = `${tool.name}_events`
    const read = async () => {
      const actor = await callerOf(request, route, gate)
      const call = gate.call(request, scene, { actor, door: 'rest', budget: restBudget })
      const output = await tool.call(call, () => readInput(request, tool, c.req.param()))
      return (output as Record<string, readonly Entry[]>)[each] ?? []
    }
    try {
      const { id } = await callerOf(request, route, gate)
      scene.actorId = id
      const since = request.headers.get('last-event-id')
      // What ends a stream is logged as what refuses a request is.
      const failed = (error: unknown) => void errorResponse(error, scene)
      return await streams.open({ accountId: id, name, read, since, signal: request.signal, failed })
    } catch (error) {
      return errorResponse(error, scene)
    }
  }
}

function bodyOf({ bare }: Route, output: unknown): unknown {
  return bare === undefined ? output : (output as Record<string, unknown>)[bare]
}

/** What only a signed-in browser may see is not kept by it. */
function secrecy({ credential }: Route): Record<string, string> {
  return credential === 'session' ? { 'Cache-Control': 'no-store' } : {}
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
