import { z } from 'zod'
import type { RequestedCall, Dialogue, DialogueOptions, ModelStep } from './endpoint.ts'

const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.looseObject({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(ToolCall).nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
})

const stopReasons: Record<string, ModelStep['stop']> = {
  stop: 'done',
  tool_calls: 'calls',
  length: 'truncated',
  content_filter: 'refused',
}

/** Headers of the Chat Completions API. */
export function openaiHeaders(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` }
}

/** A dialogue over the Chat Completions API: `POST /chat/completions` below the endpoint. */
export function openaiDialogue({ model, system, tools, post }: DialogueOptions): Dialogue {
  const messages: Record<string, unknown>[] = [{ role: 'system', content: system }]
  const toolDefinitions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))
  return {
    addUserMessage: (text) => void messages.push({ role: 'user', content: text }),
    addResults(results) {
      for (const { id, result } of results) {
        // The format has no flag for failed calls; their text says that they failed.
        messages.push({ role: 'tool', tool_call_id: id, content: result.text.join('\n') })
      }
    },
    async nextStep() {
      const answer = Completion.parse(await post('/chat/completions', { model, messages, tools: toolDefinitions }))
      const { message, finish_reason } = answer.choices[0] as (typeof answer.choices)[0]
      messages.push({ role: 'assistant', ...message })
      const calls = (message.tool_calls ?? []).map(parseCall)
      // Some servers return `stop` even if the model requests calls.
      const stop = calls.length > 0 ? 'calls' : message.refusal ? 'refused' : stopReasons[finish_reason ?? 'stop']
      return { text: message.content ?? message.refusal ?? '', calls, stop: stop ?? 'done' }
    },
  }
}

function parseCall({ id, function: { name, arguments: text } }: z.infer<typeof ToolCall>): RequestedCall {
  const parsed = parseObject(text.trim() === '' ? '{}' : text)
  if (parsed) return { id, tool: name, arguments: parsed }
  return { id, tool: name, arguments: {}, problem: 'The arguments are not a JSON object. Send them again.' }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch {
    return null
  }
}
