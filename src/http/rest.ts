import type { Context as HonoContext, Hono } from 'hono'
import { cors } from 'hono/cors'
import { encodeJson } from '../runtime/json-encoder.ts'
import { discardStreamedContent, streamJson } from '../runtime/json-stream.ts'
import { AppError } from '../core/errors.ts'
import type { FileAnswer } from '../core/file-answer.ts'
import { hasBody, routePath, type BoundTool, type CallPolicies, type ClientNeeds, type Route } from '../core/tool.ts'
import { authenticateCaller } from '../transport/authentication.ts'
import { respondCacheable } from './respond-cacheable.ts'
import { respondFile } from '../transport/respond-file.ts'
import { errorResponse } from '../transport/refusals.ts'
import { type StreamEntry, type EventStreams } from '../transport/event-streams.ts'
import { needsOfClient, shapeBody, shapeRefusal } from './client-needs.ts'
import { readInput } from './read-input.ts'
import { createSentAnswer, type SentAnswer } from './sent-answer.ts'
import { rateHeaders, restBudget } from '../transport/rate-headers.ts'
import { recheckAfterSlowBody } from '../transport/recheck-caller.ts'
import type { Env, Authenticator } from '../transport/request-state.ts'

interface RestDependencies {
  authenticator: Authenticator
  /** The turns of calls with a body. */
  messages: CallPolicies['costlyCalls']
  streams: EventStreams
  baseUrl: string
}

/** Mounts the REST routes of tools. */
export function mountRest(app: Hono<Env>, tools: readonly BoundTool[], dependencies: RestDependencies) {
  const routes = tools.flatMap((tool) => (tool.rest ? [{ tool, route: tool.rest }] : []))
  // Mounted first: otherwise the last path segment would match a path parameter.
  for (const { tool, route } of routes) {
    if (route.events)
      app.get(toHonoPath(routePath({ ...route, ...route.events })), createEventHandler(tool, route, dependencies))
  }
  for (const { tool, route } of routes) {
    const path = toHonoPath(routePath(route))
    if (route.credential === 'none') app.use(path, cors({ exposeHeaders: ['ETag', 'X-Request-Id'], maxAge: 600 }))
    app.on([route.method, ...(route.otherMethods ?? [])], path, createHandler(tool, route, dependencies))
  }
}

function createHandler(tool: BoundTool, route: Route, { authenticator, messages, baseUrl }: RestDependencies) {
  return async (c: HonoContext<Env>): Promise<Response> => {
    const clientNeeds = needsOfClient(c.req.raw, route)
    const requestState = c.get('requestState')
    requestState.operationName = tool.name
    const read = () => readInput(c.req.raw, tool, c.req.param())
    let passedAdmission = false
    const sent = createSentAnswer(c.req.method)
    try {
      const authenticate = () => authenticateCaller(c.req.raw, route, authenticator)
      const actor = await authenticate()
      recheckAfterSlowBody(c.req.raw, authenticate)
      if (actor.credential.kind !== 'none') requestState.actorId = actor.id
      if (route.fileBody !== undefined) requestState.receivesFiles = true
      const call = {
        ...authenticator.createCall(c.req.raw, requestState, { actor, transport: 'rest', budget: restBudget }),
        endWhenSent: sent.endWhenSent,
      }
      const output = await tool.call(call, () => {
        passedAdmission = true
        // Further calls with a body wait unread.
        return hasBody(route) ? messages.run({ ...call, endWhenSent: requestState.endWhenSent }, read) : read()
      })
      const limits = rateHeaders(requestState.rateStatus)
      return await respond(c.req.raw, output, { route, clientNeeds, limits, sent })
    } catch (error) {
      if (route.legacy?.refusalBody && passedAdmission && error instanceof AppError)
        return Response.json(route.legacy.refusalBody)
      const ifMatch = route.ifMatch !== undefined && c.req.raw.headers.has('if-match')
      return errorResponse(shapeRefusal(error, clientNeeds, baseUrl), {
        ...requestState,
        codesWithoutCode: route.legacy?.codesWithoutCode,
        invalidInputPrefix: route.legacy?.invalidInputPrefix,
        ifMatch,
      })
    } finally {
      sent.settle()
    }
  }
}

interface ResponseOptions {
  route: Route
  clientNeeds: ClientNeeds | undefined
  /** Headers with the caller's rate limits. */
  limits: Record<string, string>
  sent: SentAnswer
}

/** The response with a tool's output: a file, a cacheable text, or JSON. */
async function respond(request: Request, output: unknown, options: ResponseOptions): Promise<Response> {
  const { route, clientNeeds, limits, sent } = options
  if (route.file) return respondFile(request, output as FileAnswer, limits)
  const status = typeof route.status === 'function' ? route.status(output) : (route.status ?? 200)
  if (route.maxAge !== undefined) return respondCacheable(request, output, { status, maxAge: route.maxAge })
  const body = encodeBody(request.method, shapeBody(responseBody(route, output), clientNeeds))
  return sent.respond(body, {
    status,
    headers: { 'Content-Type': 'application/json', ...limits, ...cacheHeaders(route) },
  })
}

/** Streams changes of a tool's list: calls the tool repeatedly and authenticates the caller each time. */
function createEventHandler(tool: BoundTool, route: Route, { authenticator, streams }: RestDependencies) {
  const { listField = '', eventName = '' } = route.events ?? {}
  return async (c: HonoContext<Env>): Promise<Response> => {
    const requestState = c.get('requestState')
    const request = c.req.raw
    requestState.operationName = `${tool.name}_events`
    const read = async () => {
      const actor = await authenticateCaller(request, route, authenticator)
      const call = authenticator.createCall(request, requestState, { actor, transport: 'rest', budget: restBudget })
      const output = await tool.call(call, () => readInput(request, tool, c.req.param()))
      return (output as Record<string, readonly StreamEntry[]>)[listField] ?? []
    }
    try {
      const { id } = await authenticateCaller(request, route, authenticator)
      requestState.actorId = id
      const lastEventId = request.headers.get('last-event-id')
      // An error that ends a stream is logged like one that refuses a request.
      const onError = (error: unknown) => void errorResponse(error, requestState)
      return await streams.open({ accountId: id, eventName, read, lastEventId, signal: request.signal, onError })
    } catch (error) {
      return errorResponse(error, requestState)
    }
  }
}

/** Encodes a body as JSON; a body with a streamed text becomes a stream. */
function encodeBody(method: string, body: unknown): string | Uint8Array | ReadableStream<Uint8Array> {
  // A response to HEAD has no body.
  if (method === 'HEAD') discardStreamedContent(body)
  return streamJson(body) ?? encodeJson(body)
}

function responseBody({ legacy }: Route, output: unknown): unknown {
  const bodyField = legacy?.bodyField
  return bodyField === undefined ? output : (output as Record<string, unknown>)[bodyField]
}

/** Responses to browser sessions must not be stored. */
function cacheHeaders({ credential }: Route): Record<string, string> {
  return credential === 'session' ? { 'Cache-Control': 'no-store' } : {}
}

function toHonoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
