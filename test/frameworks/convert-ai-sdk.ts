// Converts the tools of an MCP server with the AI SDK, without any model: prints the parameters that the request to each
// provider has, in the form of `convert.py`. Usage: node convert-ai-sdk.ts FOLDER URL KEY, where FOLDER/node_modules has
// the packages ai, @ai-sdk/mcp, @ai-sdk/openai, @ai-sdk/anthropic and @ai-sdk/google.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [folder = '', url = '', key = ''] = process.argv.slice(2)
const load = createRequire(join(folder, 'package.json'))

let sent: any
const fetch = async (_url: unknown, init: { body: string }) => {
  sent = JSON.parse(init.body)
  throw new Error('no model is called')
}
const settings = { apiKey: 'no model is called', fetch }

const providers = {
  'ai-sdk openai': load('@ai-sdk/openai').createOpenAI(settings)('gpt-4.1'),
  'ai-sdk anthropic': load('@ai-sdk/anthropic').createAnthropic(settings)('claude-sonnet-4-5'),
  'ai-sdk google': load('@ai-sdk/google').createGoogleGenerativeAI(settings)('gemini-2.5-flash'),
}

interface SentTool {
  name: string
  parameters?: object
  input_schema?: object
}

const headers = { Authorization: `Bearer ${key}` }
const client = await load('@ai-sdk/mcp').createMCPClient({ transport: { type: 'http', url, headers } })
const tools = await client.tools()
const answers: Record<string, unknown> = {}
for (const [name, model] of Object.entries(providers)) {
  const remarks: string[] = []
  ;(globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS = (warning: unknown) =>
    remarks.push(JSON.stringify(warning))
  sent = null
  await load('ai')
    .generateText({ model, tools, prompt: 'Hello', maxRetries: 0 })
    .catch(() => {})
  const shown: SentTool[] = (sent?.tools ?? []).flatMap((tool: any) => tool.functionDeclarations ?? tool)
  answers[name] = {
    tools: Object.fromEntries(
      shown.map((tool) => [tool.name, { parameters: tool.parameters ?? tool.input_schema ?? {} }]),
    ),
    failure: sent === null ? 'no request' : null,
    remarks,
  }
}
await client.close()
process.stdout.write(JSON.stringify(answers))
