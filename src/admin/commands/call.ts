import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { defineRemoteCommand } from './command.ts'
import { version } from '../../app/version.ts'

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
    const address = new URL(`${url ?? baseUrl}/api/v1/mcp`)
    await client.connect(
      new StreamableHTTPClientTransport(address, { requestInit: { headers: { Authorization: `Bearer ${key}` } } }),
    )
    try {
      const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: input })
      const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      return { json: structuredContent ?? { error: texts[0] }, text: texts.join('\n'), ok: isError !== true }
    } finally {
      await client.close()
    }
  },
})
