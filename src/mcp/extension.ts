import type { Server, ServerContext, ServerOptions } from '@modelcontextprotocol/server'
import type { BoundTool } from '../core/tool.ts'
import type { ToolResult } from './tool-result.ts'

/** MCP features other than plain tools: prompts, resources, interactive tools. Lectern itself uses none. */
export interface McpExtension {
  options: ServerOptions
  /** Registers its handlers on an SDK server: one per request, or one per session of `serveLegacy`. */
  registerHandlers(server: Server): void
  /** True for tools that exchange messages with the client while they run; they are not answered directly. */
  isInteractive(tool: BoundTool): boolean
  /** Runs a call of an interactive tool. */
  runInteractive(exchange: ServerContext, run: () => Promise<ToolResult<string>>): Promise<ToolResult<string>>
  /** Serves a message of a legacy client; null falls back to stateless serving. */
  serveLegacy?(request: Request, body: unknown, newServer: () => Server): Promise<Response | null>
}
