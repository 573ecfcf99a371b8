import {
  Client,
  InsufficientScopeError,
  ProtocolError,
  StreamableHTTPClientTransport,
  type JsonSchemaType,
  type JsonSchemaValidator,
} from '@modelcontextprotocol/client'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv'
import type { TaskServer } from './task-server.ts'

/** A tool in the format of `tools/list`. */
export interface OfferedTool {
  name: string
  description?: string | undefined
  inputSchema: Record<string, unknown>
}

export interface Call {
  tool: string
  arguments: Record<string, unknown>
}

/** The result of a call: the text blocks that a model sees, and the structured form for programs. */
export interface CallResult {
  text: string[]
  isError: boolean
  structured?: unknown
}

/** An MCP connection to the server of a task as its user. */
export interface McpSession {
  tools: OfferedTool[]
  instructions: string
  /** Calls a tool. An error (an unknown tool, a missing scope) is returned as a result, because agents read it. */
  call(call: Call): Promise<CallResult>
  close(): Promise<void>
}

const ajv = new AjvJsonSchemaValidator()
const validatorCache = new Map<string, JsonSchemaValidator<unknown>>()

/** Compiles each schema once per process, because all servers have the same schemas. */
const cachingValidators = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const key = JSON.stringify(schema)
    const validator = validatorCache.get(key) ?? ajv.getValidator<unknown>(schema)
    validatorCache.set(key, validator)
    return validator as JsonSchemaValidator<T>
  },
}

/** Connects with the official client, which validates structured results against the schemas of the tools. */
export async function openMcpSession({ server, user }: TaskServer): Promise<McpSession> {
  const client = new Client(
    { name: 'lectern-evaluation', version: '1' },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: cachingValidators },
  )
  const headers = { Authorization: `Bearer ${user.key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/api/v1/mcp`), { requestInit: { headers } }),
  )
  const { tools } = await client.listTools()
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    instructions: client.getInstructions() ?? '',
    async call({ tool, arguments: args }) {
      try {
        const { content, isError, structuredContent } = await client.callTool({ name: tool, arguments: args })
        const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
        return { text, isError: isError === true, structured: structuredContent }
      } catch (error) {
        if (!isRefusal(error)) throw error
        return { text: [error.message], isError: true }
      }
    },
    close: () => client.close(),
  }
}

/**
 * A protocol error or a missing scope. Any other error (a lost connection, a result that violates its schema) is a
 * defect.
 */
function isRefusal(error: unknown): error is Error {
  return error instanceof ProtocolError || error instanceof InsufficientScopeError
}
