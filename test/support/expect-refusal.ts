import { expect } from 'vitest'
import type { ToolResponse } from './transports.ts'

export interface ExpectedRefusal {
  /** The REST status; over MCP a refusal is a tool result. */
  status: number
  /** Absent: the REST body has no `code` (over MCP there always is one: `mcpCode`). */
  code?: string
  /** The code over MCP if the REST body has none. */
  mcpCode?: string
  message: RegExp
  fields?: Record<string, unknown>
}

/** Checks a refusal in the form of its transport: a REST body, or a tool result without structured content. */
export function expectRefusal(answer: ToolResponse, transport: string, refusal: ExpectedRefusal): void {
  const { status, code, mcpCode, message, fields } = refusal
  expect(answer.ok).toBe(false)
  expect(answer.body.error).toMatch(message)
  expect(answer.body.requestId).toMatch(/^[a-z0-9]{26}$/)
  expect(answer.body).toMatchObject(fields ?? {})
  if (transport === 'rest') {
    expect(answer.status).toBe(status)
    expect(answer.body.code).toBe(code)
  } else {
    expect(answer.status).toBe(200)
    expect(answer.body.code).toBe(code ?? mcpCode)
  }
}
