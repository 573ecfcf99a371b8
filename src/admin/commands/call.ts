import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { defineRemoteCommand } from './command.ts'
import { version } from '../../core/version.ts'
import { AppError } from '../../core/errors.ts'

const Input = z
  .string()
  .default('{}')
  .transform((text, ctx): Record<string, unknown> => {
    try {
      return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
    } catch {
      ctx.addIssue({ code: 'custom', message: 'must be a JSON object' })
      return z.NEVER
    }
  })

export const call = defineRemoteCommand({
  name: 'call',
  usage: '--key KEY --tool NAME [--input JSON] [--url URL]',
  summary: 'Call a tool over MCP, as an agent does. Default URL: the configured server.',
  options: z.strictObject({ key: z.string(), tool: z.string(), input: Input, url: z.url().optional() }),
  async run({ baseUrl }, { key, tool, input, url }) {
    const client = new Client({ name: 'lectern', version })
    const server = (url ?? baseUrl).replace(/\/+$/, '')
    const transport = new StreamableHTTPClientTransport(new URL(`${server}/api/v1/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    })
    await client.connect(transport).catch((error: unknown) => {
      throw connectionError(error, server)
    })
    try {
      const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: input })
      const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      return { json: structuredContent ?? { error: texts[0] }, text: texts.join('\n'), ok: isError !== true }
    } finally {
      await client.close()
    }
  },
})

/**
 * Converts the error of a server that does not answer or refuses the key to a refusal; returns any other error
 * unchanged.
 */
function connectionError(error: unknown, server: string): unknown {
  if (!(error instanceof Error)) return error
  if (isUnreachable(error)) {
    return new AppError(
      'UNAVAILABLE',
      `No Lectern server answers at ${server}. Start it with lectern start, in a clone npm start, or name another server with --url.`,
      { cause: error },
    )
  }
  const status = 'status' in error ? error.status : 'code' in error ? error.code : undefined
  if (error.name === 'UnauthorizedError' || status === 401) {
    return new AppError(
      'UNAUTHENTICATED',
      `The server at ${server} does not know this key. To make one: lectern key create --email E`,
      { cause: error },
    )
  }
  return error
}

/** True if no connection was made: then the cause of the `fetch` error is a system error. */
function isUnreachable(error: Error): boolean {
  return error instanceof TypeError && error.cause !== undefined
}
