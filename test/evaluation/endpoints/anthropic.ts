import { z } from 'zod'
import { maxOutputTokens, type Dialogue, type DialogueOptions, type ModelStep } from './endpoint.ts'

const Block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
])

const Message = z.object({
  // Blocks of other kinds, such as thinking, are sent back unchanged.
  content: z.array(z.union([Block, z.looseObject({ type: z.string() })])),
  stop_reason: z.string().nullable(),
})

const stopReasons: Record<string, ModelStep['stop']> = {
  end_turn: 'done',
  stop_sequence: 'done',
  tool_use: 'calls',
  pause_turn: 'pause',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  refusal: 'refused',
}

/** Headers of the Messages API. */
export function anthropicHeaders(key: string | undefined): Record<string, string> {
  return { 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) }
}

/** A dialogue over the Messages API: `POST /messages` below the endpoint. */
export function anthropicDialogue({ model, system, tools, post }: DialogueOptions): Dialogue {
  const messages: { role: 'user' | 'assistant'; content: unknown }[] = []
  const toolDefinitions = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }))
  return {
    addUserMessage: (text) => void messages.push({ role: 'user', content: text }),
    addResults: (results) =>
      void messages.push({
        role: 'user',
        content: results.map(({ id, result: { text, isError } }) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: text.map((each) => ({ type: 'text', text: each })),
          ...(isError ? { is_error: true } : {}),
        })),
      }),
    async nextStep() {
      const body = { model, max_tokens: maxOutputTokens, system, tools: toolDefinitions, messages }
      const { content, stop_reason } = Message.parse(await post('/messages', body))
      // A model may end its turn with an empty message, which would be refused if it were sent back.
      if (content.length > 0) messages.push({ role: 'assistant', content })
      const blocks = content.flatMap((block) => Block.safeParse(block).data ?? [])
      return {
        text: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
        calls: blocks.flatMap((block) =>
          block.type === 'tool_use' ? [{ id: block.id, tool: block.name, arguments: block.input }] : [],
        ),
        stop: stopReasons[stop_reason ?? 'end_turn'] ?? 'done',
      }
    },
  }
}
