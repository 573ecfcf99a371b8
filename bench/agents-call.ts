import { request, type Agent } from 'node:http'
import { mcpMessage } from './mcp-message.ts'

/** A tool call of one account. */
export interface BenchCall {
  key: string
  tool: string
  args: Record<string, unknown>
}

/** Calls a tool over MCP; returns `ok`, or the status and the start of the refusal. */
export function callTool(baseUrl: string, agent: Agent, { key, tool, args }: BenchCall): Promise<string> {
  const { headers, body } = mcpMessage(key, 'tools/call', { name: tool, arguments: args })
  const length = { 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const call = request(
      `${baseUrl}/api/v1/mcp`,
      { method: 'POST', agent, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => resolve(outcomeOf(answer.statusCode ?? 0, Buffer.concat(chunks))))
      },
    )
    call.on('error', (error) => resolve(error.message))
    call.end(body)
  })
}

function outcomeOf(status: number, body: Buffer): string {
  // The body of a success is not parsed, because that would cost the benchmark more than the server.
  if (status === 200 && !body.includes('"isError":true')) return 'ok'
  const text = /"text":"([\w ]+)/.exec(body.toString())?.[1] ?? body.subarray(0, 80).toString()
  return `${status} ${text}`
}
