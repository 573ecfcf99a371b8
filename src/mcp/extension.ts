import type { Server, ServerContext, ServerOptions } from '@modelcontextprotocol/server'
import type { BoundTool } from '../core/tool.ts'
import type { ToolResult } from './tool-result.ts'

/** What a server offers over MCP beside plain tools: prompts, resources, tools that ask the client something. Lectern has none. */
export interface McpExtension {
  options: ServerOptions
  /** Adds its handlers to a server that the SDK asked for: one for each request, or for each session of `older`. */
  registerHandlers(server: Server): void
  /** True for tools that talk with the client while they run: their calls are not answered directly. */
  isInteractive(tool: BoundTool): boolean
  /** Runs a call of such a tool. */
  runInteractive(exchange: ServerContext, run: () => Promise<ToolResult<string>>): Promise<ToolResult<string>>
  /** Serves a message of an older client in its own way; null leaves it to the stateless one. */
  serveLegacy?(request: Request, body: unknown, newServer: () => Server): Promise<Response | null>
}
