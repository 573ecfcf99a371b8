import type { z } from 'zod'
import { runCancellable } from './cancellation.ts'
import type { EncodedText } from '../runtime/json-encoder.ts'
import type { Call } from './context.ts'
import { AppError, type ErrorCode, type RateStatus } from './errors.ts'
import { parseInput } from './parse-input.ts'
import { isWriteScope, type Scope } from './scopes.ts'
import type { ToolGroup } from './tool-groups.ts'

/** The rate buckets of the contract's Limits table and additions of this server; `none` has no limit over REST. */
export type ToolRateBucket =
  | 'library_writes'
  | 'content_writes'
  | 'upload_check'
  | 'team_changes'
  | 'settings_writes'
  | 'value_reports'
  | 'reports'
  | 'citation_checks'
  | 'reprocessing'
  | 'enrichment'
  | 'upload_confirms'
  | 'content_reads'
  | 'searches'
  | 'none'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Exceptions that the contract makes for a single route. New routes have none. */
export interface RouteLegacy<Output = unknown> {
  /** Every success status, if the status depends on the output; default: 201 and 207. */
  statuses?: readonly number[]
  /** Path and query names that differ from the input field they fill. */
  fieldNames?: Record<string, string>
  /** Prefix of INVALID_INPUT messages, if the contract gives all of them the same one. */
  invalidInputPrefix?: string
  /** Error codes for which the contract omits the `code` field on this route. */
  codesWithoutCode?: readonly ErrorCode[]
  /** The output field that is sent alone as the body. */
  bodyField?: keyof Output & string
  /** The body sent with status 200 for every refusal after credential, scope and rate bucket; it hides the reason. */
  refusalBody?: object
  /** Adjustments for a released program that parses the answers of this route in one way only. */
  clientNeeds?: ClientNeeds
}

/** Adjustments of answers for one released program that can no longer change. Other clients get the normal answers. */
export interface ClientNeeds {
  /** Prefix of its `User-Agent`. */
  agent: string
  /** Null fields are omitted: it treats a missing field as null, and fails on null. */
  omitNull?: true
  /** `upgradeUrl` is sent as a path, because the program prepends the base URL. */
  upgradePath?: true
}

/** How a tool is offered over REST. It is plain data, read by `http/rest.ts` and `http/openapi`. */
export interface Route<Output = unknown> {
  method: Method
  /** Path below `base`; `{name}` marks a path value, which fills the input field of that name. */
  path: `/${string}`
  /** Default: `/api/v1`. */
  base?: '/api'
  /** Success status. Default: 200. */
  status?: number | ((output: Output) => number)
  /** Parses the request into the tool's input, if REST differs from the tool (older forms, other messages). */
  input?: z.ZodType
  /** The output over REST, if the tool's output has forms that only MCP returns. It is documented, not validated. */
  output?: z.ZodType
  /** Input fields that come from the query, for methods other than GET. Such a route has no body. */
  queryFields?: readonly string[]
  /** Refuses unknown fields (contract: "unknown keys refused") instead of ignoring them. */
  rejectUnknownFields?: boolean
  /**
   * The only kind of credential that is accepted; others are refused with INSUFFICIENT_SCOPE. `apiKey`: an API key, no
   * OAuth token. `session`: a signed-in browser with its `X-CSRF-Token`. `none`: public from every origin; credentials
   * are ignored.
   */
  credential?: 'apiKey' | 'session' | 'none'
  /** How long caches may keep an answer, seconds. Only for routes without a credential. */
  maxAge?: number
  /** The input field, a version number, that an `If-Match: "7"` header fills. */
  ifMatch?: string
  /** Maximum size of the request body in bytes. Default: 1 MiB. */
  maxBytes?: number
  /** The output is a `FileAnswer`, whose bytes are sent unchanged. Lists its possible content types. */
  file?: { contentTypes: readonly string[] }
  /** The request body is a raw file, which fills this input field with a `SentFile`. JSON is not accepted. */
  fileBody?: string
  /** Input fields that come from header fields, in UTF-8, with the header names in lower case. */
  headerFields?: Readonly<Record<string, string>>
  /** Methods that are handled like `method` and are missing from the OpenAPI document. */
  otherMethods?: readonly Method[]
  /** Exceptions that the contract makes for this route. */
  legacy?: RouteLegacy<Output>
  /** The event stream for watching the entries of an output list; each change is an event of this name. */
  events?: { path: `/${string}`; listField: keyof Output & string; eventName: string }
}

/** The full path of a route. */
export function routePath({ base, path }: Pick<Route, 'base' | 'path'>): string {
  return `${base ?? '/api/v1'}${path}`
}

/** True if a route reads a JSON request body. */
export function hasBody({ method, queryFields, fileBody }: Route): boolean {
  return method !== 'GET' && !queryFields && fileBody === undefined
}

export interface Annotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** One sentence each: what a call changes, and what a repeated call does. */
export interface HintJustification {
  effect: string
  repeat?: string
}

/** How a tool's result appears over MCP, where it differs from the REST body. */
export interface McpPresentation<Output = unknown> {
  /** The text block, whole or in chunks. Default: the JSON of the structured result. */
  text?: (output: Output) => string | readonly (string | EncodedText)[]
  /** The output shape is prescribed, so no explanation of `quotedFrom` is added. */
  exactShape?: true
  /** The whole tool result, for tools that need more than text and structured output. */
  result?: (output: Output) => Record<string, unknown>
}

interface ToolDefinition<I extends z.ZodType, O extends z.ZodType, S> {
  /** snake_case; equals the file name in kebab-case. */
  name: string
  title: string
  description: string
  /** The topic: the folder of its declaration and its chapter in the reference. */
  group: ToolGroup
  scope: Scope
  annotations: Annotations
  rateBucket: ToolRateBucket
  /** The cost of a call, or the size of its answer over REST, grows with what exists: a caller's run a few at a time. */
  costly?: true
  /** `false`: offered over REST only. */
  mcp?: false | McpPresentation<z.output<O>>
  rest?: Route<z.output<O>>
  /** A create or append that honours `Idempotency-Key` for 24 hours. */
  idempotent?: true
  /** A valid call with every field; refusals quote from it. Required for tools over MCP. */
  example?: z.input<I>
  /** Reasons for the hints; required for tools that write. */
  justification?: HintJustification
  /**
   * The refusal codes of its use case. Codes that follow from the declaration are left out: credential, scope, rate
   * bucket, input shape, idempotency key, unavailable store. Test servers fail if a code is missing.
   */
  refusals?: readonly ErrorCode[]
  input: I
  output: O
  /** `run` returns validated output, because responses share parts that are validated once. */
  outputValidated?: true
  /** The use case; the type of its first parameter names the services it needs. */
  run: (ctx: S, input: z.output<I>) => Promise<z.input<O>>
}

/** The declaration of a tool, without its use case. */
export interface Declaration extends Omit<
  ToolDefinition<z.ZodType, z.ZodType, never>,
  'run' | 'mcp' | 'rest' | 'example'
> {
  example?: Record<string, unknown> | undefined
  mcp: false | McpPresentation
  rest?: Route
}

/** A declared tool; `S` is the context of its use case: the call and the services it needs. */
export interface Tool<S = never> extends Declaration {
  /** Validates the input (refuses with INVALID_INPUT), runs the use case and validates the output. */
  execute: (ctx: S, raw: unknown, schema?: z.ZodType) => Promise<unknown>
}

/** Declares a tool. Its MCP tool, REST route and documentation are derived from the declaration. */
export function defineTool<I extends z.ZodType, O extends z.ZodType, S = Call>(
  definition: ToolDefinition<I, O, S>,
): Tool<S> {
  const { run, ...rest } = definition
  return {
    ...rest,
    mcp: (definition.mcp ?? {}) as false | McpPresentation,
    rest: definition.rest as Route | undefined,
    example: definition.example as Record<string, unknown> | undefined,
    async execute(ctx, raw, schema = definition.input) {
      const input = parseInput(schema, raw) as z.output<I> // A route's schema is another form of the same input.
      const output = await run(ctx, input)
      return definition.outputValidated ? output : definition.output.parse(output)
    },
  }
}

/** The services applied to every call before its use case: rate limiting, idempotency, and the turns of costly and of other calls. */
export interface CallPolicies {
  rateLimiter: {
    /** Counts one call; refuses with RATE_LIMITED. Returns null if the bucket has no limit. */
    consume(accountId: string, bucket: CallBucket): Promise<RateStatus | null>
  }
  idempotency: {
    /** Runs a call once per idempotency key, account and tool; a repeat gets the first result. */
    runOnce<C extends Call, T>(ctx: C, call: { name: string; raw: unknown }, run: (ctx: C) => Promise<T>): Promise<T>
  }
  costlyCalls: { run<T>(call: Call, work: () => Promise<T>): Promise<T> }
  ordinaryCalls: CallPolicies['costlyCalls']
}

/** A tool bound to its services; transports call it. */
export interface BoundTool extends Declaration {
  /**
   * Runs a call: checks scope and rate bucket, then reads the input, runs the use case and validates the output. After
   * `readInput`, throws ClientDisconnected if the client disconnects before the first write.
   */
  call(call: Call, readInput: () => Promise<RawInput>): Promise<unknown>
}

/** Binds tools to their services. `onRefusal` is called for every refused call, over any transport. */
export function bindTools<S extends CallPolicies>(
  tools: readonly Tool<Call & S>[],
  services: S,
  onRefusal?: (refused: { tool: string; code: ErrorCode }) => void,
): BoundTool[] {
  return tools.map((tool) => ({
    ...tool,
    async call(call, readInput) {
      try {
        return await callTool({ ...services, ...call }, tool, readInput)
      } catch (error) {
        if (error instanceof AppError) onRefusal?.({ tool: tool.name, code: error.code })
        throw error
      }
    },
  }))
}

/** The input of a call as a transport has read it. */
export interface RawInput {
  raw: unknown
  schema?: z.ZodType | undefined
  /** Null or undefined if absent. */
  idempotencyKey: unknown
}

async function callTool<S extends CallPolicies>(
  ctx: Call & S,
  tool: Tool<Call & S>,
  readInput: () => Promise<RawInput>,
): Promise<unknown> {
  requireScope(ctx, tool.scope)
  ctx.reportRateStatus(await ctx.rateLimiter.consume(ctx.actor.id, rateBucketOf(ctx, tool)))
  const input = await readInput()
  const run = () => runCancellable(ctx.signal, () => execute(ctx, tool, input))
  return (tool.costly ? ctx.costlyCalls : ctx.ordinaryCalls).run(ctx, run)
}

async function execute<S extends CallPolicies>(
  ctx: Call & S,
  tool: Tool<Call & S>,
  { raw, schema, idempotencyKey: rawKey }: RawInput,
): Promise<unknown> {
  const idempotencyKey = tool.idempotent ? parseIdempotencyKey(rawKey ?? null) : null
  if (idempotencyKey === null) return tool.execute(ctx, raw, schema)
  return ctx.idempotency.runOnce({ ...ctx, idempotencyKey }, { name: tool.name, raw }, (onceContext) =>
    tool.execute(onceContext, raw, schema),
  )
}

/** Refuses a call whose credential lacks a scope with INSUFFICIENT_SCOPE. */
export function requireScope({ actor }: Call, scope: Scope): void {
  if (actor.scopes.includes(scope)) return
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    `This call needs the scope ${scope}. Connect again, or use an API key with this scope.`,
    { details: { requiredScope: scope } },
  )
}

/** The rate bucket of a call; over MCP every call counts as a read or a write. */
export type CallBucket = ToolRateBucket | 'mcp_read' | 'mcp_write'

function rateBucketOf({ transport }: Call, tool: Declaration): CallBucket {
  if (transport !== 'mcp') return tool.rateBucket
  return isWriteScope(tool.scope) ? 'mcp_write' : 'mcp_read'
}

/** Validates an idempotency key: 1 to 255 visible ASCII characters, or null if absent; refuses with INVALID_INPUT. */
function parseIdempotencyKey(value: unknown): string | null {
  if (value === null) return null
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  throw new AppError('INVALID_INPUT', 'idempotencyKey: an idempotency key must be 1 to 255 visible ASCII characters.', {
    details: { field: 'idempotencyKey' },
  })
}
