import type { AppError, ErrorCode } from '../errors.ts'
import type { McpForm } from '../tool.ts'

export interface ToolResult {
  [key: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** How a refusal begins over MCP: agents relay or branch on these words (contract, MCP-level errors). */
const openings: Record<ErrorCode, string> = {
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  INSUFFICIENT_SCOPE: 'insufficient_scope',
  ORIGIN_NOT_ALLOWED: 'ORIGIN_NOT_ALLOWED',
  RATE_LIMITED: 'rate_limited',
  INVALID_INPUT: 'INVALID_INPUT',
  SHELF_PARAM_INVALID: 'SHELF_PARAM_INVALID',
  PAYLOAD_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  UNSUPPORTED_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  NOT_FOUND: 'NOT_FOUND',
  METHOD_NOT_ALLOWED: 'METHOD_NOT_ALLOWED',
  FORBIDDEN: 'FORBIDDEN',
  CONFLICT: 'CONFLICT',
  VERSION_CONFLICT: 'VERSION_CONFLICT',
  ITEM_NOT_EDITABLE: 'ITEM_NOT_EDITABLE',
  IDEMPOTENCY_KEY_REUSED: 'IDEMPOTENCY_KEY_REUSED',
  PLAN_LIMIT_EXCEEDED: 'UPGRADE REQUIRED',
  ITEM_LOCKED: 'SOME BOOKS ARE LOCKED',
  READ_LIMIT_EXCEEDED: 'UPGRADE REQUIRED',
  UNKNOWN_AGENT: 'UNKNOWN_AGENT',
  SHELF_NAME_INVALID: 'SHELF_NAME_INVALID',
  SHELF_NAME_TAKEN: 'SHELF_NAME_TAKEN',
  SHELF_LIMIT_EXCEEDED: 'SHELF_LIMIT_EXCEEDED',
  SHELF_NOT_FOUND: 'SHELF_NOT_FOUND',
  BATCH_TOO_LARGE: 'BATCH_TOO_LARGE',
  QUERY_TOO_LONG: 'BATCH_TOO_LARGE',
  MANUSCRIPT_LIMIT_EXCEEDED: 'MANUSCRIPT LIMIT REACHED',
  MANUSCRIPT_ITEM_CONFLICT: 'MANUSCRIPT_ITEM_CONFLICT',
  NOT_TEAM_MEMBER: 'NOT_TEAM_MEMBER',
  ITEM_NOT_FOUND: 'ITEM_NOT_FOUND',
  TRANSIENT_CONFLICT: 'TRANSIENT_CONFLICT',
  UNAVAILABLE: 'UNAVAILABLE',
  STORAGE_FULL: 'STORAGE_FULL',
}

/** A tool's output as MCP sends it: the structured result and a text block of the same. */
export function toolResult(output: unknown, form: McpForm): ToolResult {
  const structuredContent = output as Record<string, unknown>
  const text = form.text ? form.text(output) : JSON.stringify(output)
  return { content: [{ type: 'text', text }], structuredContent }
}

/** A refusal as a tool result: what is wrong and the way out first, the machine-readable fields after it. */
export function refusalResult(refusal: AppError, requestId: string): ToolResult {
  const { code, message, details, retryAfterSeconds } = refusal
  const fields = { code, ...details, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }), requestId }
  return {
    content: [
      { type: 'text', text: `${openings[code]}: ${message}` },
      { type: 'text', text: JSON.stringify(fields) },
    ],
    isError: true,
  }
}

/** What the client learns of a defect of ours: that it happened and under which request id it is logged. */
export function defectResult(requestId: string): ToolResult {
  const text = `Internal error. Nothing is wrong with the request; report it with request id ${requestId}.`
  return { content: [{ type: 'text', text }], isError: true }
}
