import { ChunkedText } from '../runtime/json-encoder.ts'
import { errorCatalogue } from '../core/error-catalogue.ts'
import type { AppError, ErrorCode } from '../core/errors.ts'
import { escapeInvisible, escapeTagCharacters } from '../runtime/escape-invisible.ts'
import type { Declaration } from '../core/tool.ts'

export interface ToolResult<Text = string | ChunkedText> {
  [key: string]: unknown
  content: { type: 'text'; text: Text }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

/** How refusals begin over MCP where the contract has other words than the code: agents relay or branch on them. */
const refusalPrefixes: Partial<Record<ErrorCode, string>> = {
  INSUFFICIENT_SCOPE: 'insufficient_scope',
  RATE_LIMITED: 'rate_limited',
  PLAN_LIMIT_EXCEEDED: 'UPGRADE REQUIRED',
  READ_LIMIT_EXCEEDED: 'UPGRADE REQUIRED',
  ITEM_LOCKED: 'SOME BOOKS ARE LOCKED',
  MANUSCRIPT_LIMIT_EXCEEDED: 'MANUSCRIPT LIMIT REACHED',
  QUERY_TOO_LONG: 'BATCH_TOO_LARGE',
}

/** A call that was answered. */
export interface CompletedCall {
  tool: Declaration
  args: unknown
}

/** A tool's output as MCP sends it: the structured result and a text block of the same, in which nothing is invisible. */
export function toolResult(output: unknown, { tool, args }: CompletedCall): ToolResult {
  const presentation = tool.mcp || {}
  if (presentation.result) return presentation.result(output) as ToolResult
  const structuredContent = output as Record<string, unknown>
  const text = presentation.text ? toText(presentation.text(output)) : escapeInvisible(JSON.stringify(output))
  const pageHint = nextPageHint(structuredContent, { tool, args })
  return { content: [{ type: 'text', text }, ...pageHint], structuredContent }
}

function toText(text: string | readonly string[]): string | ChunkedText {
  return typeof text === 'string' ? escapeTagCharacters(text) : new ChunkedText(text.map(escapeTagCharacters))
}

/** A result whose texts are strings, as the SDK takes it. */
export function toSdkResult(result: ToolResult): ToolResult<string> {
  const plain = { ...result } as ToolResult<string>
  for (const [index, block] of (result.content ?? []).entries()) {
    if (block.text instanceof ChunkedText)
      plain.content = plain.content.with(index, { ...block, text: `${block.text}` })
  }
  return plain
}

/** Where a list goes on: the very call, as a text of its own. */
function nextPageHint({ nextCursor }: Record<string, unknown>, { tool, args }: CompletedCall): ToolResult['content'] {
  if (typeof nextCursor !== 'string') return []
  const next = JSON.stringify({ ...(args as object), cursor: nextCursor })
  return [
    { type: 'text', text: escapeInvisible(`The list goes on. For the next part call ${tool.name} with ${next}.`) },
  ]
}

/**
 * A refusal as a tool result: what is wrong and the way out first, the machine-readable fields after it. `inputHint` says
 * what a wrong field accepts.
 */
export function refusalResult(refusal: AppError, requestId: string, inputHint: string | null = null): ToolResult {
  const { code, message, details, retryAfterSeconds } = refusal
  const { remedy: next, retryable } = errorCatalogue[code]
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  const fields = { code, ...details, retryable, ...wait, next, requestId }
  const text = `${refusalPrefixes[code] ?? code}: ${message}`
  return {
    content: [
      { type: 'text', text: escapeInvisible(inputHint === null ? text : `${text.replace(/\.$/, '')}. ${inputHint}`) },
      { type: 'text', text: escapeInvisible(JSON.stringify(fields)) },
    ],
    isError: true,
  }
}

/** What the client learns of a defect of ours: that it happened and under which request id it is logged. */
export function internalErrorResult(requestId: string): ToolResult {
  const text = `Internal error. Nothing is wrong with the request; report it with request id ${requestId}.`
  return { content: [{ type: 'text', text }], isError: true }
}
