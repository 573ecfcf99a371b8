import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { z } from 'zod'

/** The output of the fake model in one step. */
export interface ModelReply {
  text?: string
  calls?: { name: string; input: Record<string, unknown> | string }[]
  stop?: string
}

/** The input so far: the user's messages and the results of calls, in order. */
export interface ModelInput {
  userMessages: string[]
  results: { text: string; isError: boolean }[]
}

/** Returns the next output; `step` counts the outputs so far. */
export type Model = (heard: ModelInput, step: number) => ModelReply

/** A failure that the endpoint returns instead of an answer: a status with headers, or a broken connection. */
export type Fault = { status: number; headers?: Record<string, string>; body?: string } | 'disconnect'

export interface FakeEndpoint {
  url: string
  /** Every received request, including those that failed. */
  requests: { path: string; headers: IncomingMessage['headers']; body: any }[]
  close(): Promise<void>
}

const TextContent = z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() }))])

/** Schemas of requests in the two documented formats; anything else is refused with 400. */
const AnthropicRequest = z.strictObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: z.string(),
  tools: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      description: z.string(),
      input_schema: z.looseObject({ type: z.literal('object') }),
    }),
  ),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.literal('assistant'), content: z.array(z.looseObject({ type: z.string() })).min(1) }),
      z.strictObject({
        role: z.literal('user'),
        content: z.union([
          z.string().min(1),
          z
            .array(
              z.strictObject({
                type: z.literal('tool_result'),
                tool_use_id: z.string(),
                content: TextContent,
                is_error: z.literal(true).optional(),
              }),
            )
            .min(1),
        ]),
      }),
    ]),
  ),
})

const OpenaiRequest = z.strictObject({
  model: z.string(),
  tools: z.array(
    z.strictObject({
      type: z.literal('function'),
      function: z.strictObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        description: z.string(),
        parameters: z.looseObject({ type: z.literal('object') }),
      }),
    }),
  ),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.literal('system'), content: z.string() }),
      z.strictObject({ role: z.literal('user'), content: z.string() }),
      z.looseObject({
        role: z.literal('assistant'),
        tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
      }),
      z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
    ]),
  ),
})

/** An endpoint on a socket that supports both formats: `/messages` and `/chat/completions`. */
export async function startFakeEndpoint(model: Model, faults: Fault[] = []): Promise<FakeEndpoint> {
  const requests: FakeEndpoint['requests'] = []
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => {
      response.writeHead(400, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ error: { message: error.message } }))
    })
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as unknown
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    const fault = faults.shift()
    if (fault === 'disconnect') return void request.socket.destroy()
    if (fault) {
      response.writeHead(fault.status, fault.headers)
      return void response.end(fault.body ?? '')
    }
    const reply = request.url === '/v1/messages' ? replyAsAnthropic(model, body) : replyAsOpenai(model, body)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(reply))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function replyAsAnthropic(model: Model, body: unknown) {
  const { messages } = AnthropicRequest.parse(body)
  const modelInput: ModelInput = { userMessages: [], results: [] }
  const openCalls = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const block of message.content) if (block.type === 'tool_use') openCalls.add(String(block['id']))
    } else if (typeof message.content === 'string') {
      requireAllAnswered(openCalls)
      modelInput.userMessages.push(message.content)
    } else {
      for (const { tool_use_id, content, is_error } of message.content) {
        if (!openCalls.delete(tool_use_id)) throw new Error(`No call has the id ${tool_use_id}`)
        modelInput.results.push({ text: textOf(content), isError: is_error === true })
      }
      requireAllAnswered(openCalls)
    }
  }
  const step = messages.filter(({ role }) => role === 'assistant').length
  const { text: replyText, calls = [], stop } = model(modelInput, step)
  return {
    id: `msg_${step}`,
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
      ...(replyText === undefined ? [] : [{ type: 'text', text: replyText }]),
      ...calls.map(({ name, input }, at) => ({ type: 'tool_use', id: `toolu_${step}_${at}`, name, input })),
    ],
    stop_reason: stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}

function replyAsOpenai(model: Model, body: unknown) {
  const { messages } = OpenaiRequest.parse(body)
  const modelInput: ModelInput = { userMessages: [], results: [] }
  const openCalls = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!openCalls.delete(message.tool_call_id)) throw new Error(`No call has the id ${message.tool_call_id}`)
      modelInput.results.push({ text: message.content, isError: false })
      continue
    }
    requireAllAnswered(openCalls)
    if (message.role === 'user') modelInput.userMessages.push(message.content)
    if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) openCalls.add(id)
  }
  requireAllAnswered(openCalls)
  const step = messages.filter(({ role }) => role === 'assistant').length
  const { text: replyText, calls = [], stop } = model(modelInput, step)
  const toolCalls = calls.map(({ name, input }, at) => ({
    id: `call_${step}_${at}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))
  return {
    id: `chatcmpl-${step}`,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: replyText ?? null,
          refusal: null,
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
        },
        finish_reason: stop ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

/** Both formats require the results of all calls before the next message. */
function requireAllAnswered(openCalls: ReadonlySet<string>): void {
  if (openCalls.size > 0) throw new Error(`There is no result for ${[...openCalls].join(', ')}`)
}

function textOf(content: z.infer<typeof TextContent>): string {
  return typeof content === 'string' ? content : content.map((block) => block.text).join('\n')
}
