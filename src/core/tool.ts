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

/** What the contract gives one route and no other: new routes have none of it. */
export interface RouteLegacy<Output = unknown> {
  /** Every success status, where it depends on the output; 201 and 207 when left out. */
  statuses?: readonly number[]
  /** Path and query names that differ from the input field they fill. */
  fieldNames?: Record<string, string>
  /** How messages of INVALID_INPUT begin where the contract gives them one text for all. */
  invalidInputPrefix?: string
  /** Codes that the contract gives no `code` field on this route. */
  codesWithoutCode?: readonly ErrorCode[]
  /** The output field that alone is the body. */
  bodyField?: keyof Output & string
  /** The body that answers, with 200, every refusal behind credential, scope and rate bucket: nobody learns what it was. */
  refusalBody?: object
  /** What a released program needs that reads the answers of this route in one way only. */
  clientNeeds?: ClientNeeds
}

/** How answers to one program differ, which nobody can change any more; all others notice nothing of it. */
export interface ClientNeeds {
  /** How its `User-Agent` begins. */
  agent: string
  /** It takes a missing field for none, and fails on null. */
  omitNull?: true
  /** It puts the base URL before `upgradeUrl`: it gets the path. */
  upgradePath?: true
}

/** How a tool is offered over REST. Data only: `http/rest.ts` and `http/openapi` are its readers. */
export interface Route<Output = unknown> {
  method: Method
  /** Below `base`; `{name}` marks a path value, which becomes the input field of that name. */
  path: `/${string}`
  /** `/api/v1` when left out. */
  base?: '/api'
  /** Success status; 200 when left out. */
  status?: number | ((output: Output) => number)
  /** Reads the request where REST differs from the tool: older forms, other messages. Its result is the tool's input. */
  input?: z.ZodType
  /** What REST answers, where the tool's output has forms that only MCP gives; described, not checked. */
  output?: z.ZodType
  /** Input fields of a route other than GET that come in the query. Such a route has no body. */
  queryFields?: readonly string[]
  /** Refuse unknown fields (contract: "unknown keys refused") instead of ignoring them. */
  rejectUnknownFields?: boolean
  /**
   * The one kind of credential that may call it; others are refused with INSUFFICIENT_SCOPE. `apiKey`: no OAuth token;
   * `session`: a browser in which somebody is signed in, with its `X-CSRF-Token`. `none`: anybody may call it, from every
   * origin; a credential is not looked at.
   */
  credential?: 'apiKey' | 'session' | 'none'
  /** For how long caches may keep an answer, seconds; only where no credential is asked for. */
  maxAge?: number
  /** The input field, a version, that an `If-Match: "7"` header fills. */
  ifMatch?: string
  /** Largest request body in bytes; 1 MiB when left out. */
  maxBytes?: number
  /** The output is a `FileAnswer`, sent as it is: the content types that it may have. */
  file?: { contentTypes: readonly string[] }
  /** The body is a file, sent as it is: the input field that it fills with a `SentFile`. Such a route reads no JSON. */
  fileBody?: string
  /** Input fields that come in a header field, as UTF-8, and its name in lower case. */
  headerFields?: Readonly<Record<string, string>>
  /** Methods that are answered like `method`; not described in the OpenAPI document. */
  otherMethods?: readonly Method[]
  /** Warts of the contract. */
  legacy?: RouteLegacy<Output>
  /** Where the entries of a list that the output holds can be watched: each is an event of this name when it changes. */
  events?: { path: `/${string}`; listField: keyof Output & string; eventName: string }
}

/** The full path of a route. */
export function routePath({ base, path }: Pick<Route, 'base' | 'path'>): string {
  return `${base ?? '/api/v1'}${path}`
}

/** True if a route reads a request body of JSON. */
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
  /** The fields of the output are prescribed: nothing is added that says what `quotedFrom` means. */
  exactShape?: true
  /** The whole tool result, for tools that need more than text and structured output. */
  result?: (output: Output) => Record<string, unknown>
}

interface ToolDefinition<I extends z.ZodType, O extends z.ZodType, S> {
  /** snake_case; equals the file name in kebab-case. */
  name: string
  title: string
  description: string
  /** What it is about: the folder of its declaration, and its chapter in the reference. */
  group: ToolGroup
  scope: Scope
  annotations: Annotations
  rateBucket: ToolRateBucket
  /** `false`: over REST only. */
  mcp?: false | McpPresentation<z.output<O>>
  rest?: Route<z.output<O>>
  /** A create or append that honours `Idempotency-Key` for 24 hours. */
  idempotent?: true
  /** A valid call with every field; refusals quote from it. Required for tools over MCP. */
  example?: z.input<I>
  /** Reasons for the hints; required for tools that write. */
  justification?: HintJustification
  /**
   * The codes of the refusals that its use case gives, besides those that follow from the declaration: credential, scope, rate
   * bucket, shape of the input, idempotency key, a store that is unavailable. Test servers hold that none is missing.
   */
  refusals?: readonly ErrorCode[]
  input: I
  output: O
  /** `run` returns output that is already validated: responses share parts that are validated once. */
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
      const input = parseInput(schema, raw) as z.output<I>
      const output = await run(ctx, input)
      return definition.outputValidated ? output : definition.output.parse(output)
    },
  }
}

/** The services applied to every call before its use case: rate limiting and idempotency. */
export interface CallPolicies {
  rateLimiter: {
    /** Counts one call; refuses with RATE_LIMITED. Returns null if the bucket has no limit. */
    consume(accountId: string, bucket: CallBucket): Promise<RateStatus | null>
  }
  idempotency: {
    /** Runs a call once per idempotency key, account and tool; a repeat gets the first result. */
    runOnce<C extends Call, T>(ctx: C, call: { name: string; raw: unknown }, run: (ctx: C) => Promise<T>): Promise<T>
  }
}

/** A tool bound to its services; transports call it. */
export interface BoundTool extends Declaration {
  /**
   * Runs a call: checks scope and rate bucket, then reads the input, runs the use case and validates the output. After
   * `readInput`, throws ClientDisconnected if the client disconnects before the first write.
   */
  call(call: Call, readInput: () => Promise<RawInput>): Promise<unknown>
}

/** Binds tools to their services; `onRefusal` learns of every refusal of a call, through whatever transport it came. */
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
  return runCancellable(ctx.signal, () => execute(ctx, tool, input))
}

async function execute<S extends CallPolicies>(
  ctx: Call & S,
  tool: Tool<Call & S>,
  { raw, schema, idempotencyKey: rawKey }: RawInput,
): Promise<unknown> {
  const idempotencyKey = tool.idempotent ? parseIdempotencyKey(rawKey ?? null) : null
  if (idempotencyKey === null) return tool.execute(ctx, raw, schema)
  const keyedContext = { ...ctx, idempotencyKey }
  return ctx.idempotency.runOnce(keyedContext, { name: tool.name, raw }, (onceContext) =>
    tool.execute(onceContext, raw, schema),
  )
}

/** Refuses a call whose credential lacks a scope with INSUFFICIENT_SCOPE. */
export function requireScope({ actor }: Call, scope: Scope): void {
  if (actor.scopes.includes(scope)) return
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    `This call needs the scope ${scope}. Connect again, or use an API key with this scope.`,
    {
      details: { requiredScope: scope },
    },
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
