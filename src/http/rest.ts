import type { Context as HonoContext, Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Context } from '../context.ts'
import { encodeJson } from '../encode-json.ts'
import { AppError } from '../errors.ts'
import { addressOf, callTool, type Route, type Tool } from '../tool.ts'
import { callerOf } from './auth.ts'
import { cachedJson } from './cached-json.ts'
import { errorResponse } from './errors.ts'
import { readInput } from './input.ts'
import { rateHeaders, restBudget } from './limits.ts'
import type { Env, Gate } from './app.ts'

/** Mounts one route for every tool that declares one. */
export function mountRest(app: Hono<Env>, tools: readonly Tool[], gate: Gate): void {
  for (const tool of tools) {
    if (!tool.rest) continue
    const path = honoPath(addressOf(tool.rest))
    if (tool.rest.credential === 'none') app.use(path, cors({ exposeHeaders: ['ETag', 'X-Request-Id'], maxAge: 600 }))
    app.on(tool.rest.method, path, handlerOf(tool, tool.rest, gate))
  }
}

function handlerOf(tool: Tool, route: Route, gate: Gate) {
  return async (c: HonoContext<Env>): Promise<Response> => {
    const scene = c.get('scene')
    scene.name = tool.name
    let admitted = false
    try {
      const actor = await callerOf(c.req.raw, route, gate)
      scene.actorId = actor.id
      const ctx: Context = gate.context(c.req.raw, scene, { actor, door: 'rest', budget: restBudget })
      const output = await callTool(ctx, tool, () => {
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
