import { anthropicDialogue, anthropicHeaders } from './endpoints/anthropic.ts'
import type { RequestedCall, Dialogue, DialogueOptions } from './endpoints/endpoint.ts'
import { openaiDialogue, openaiHeaders } from './endpoints/openai.ts'
import { createJsonPoster, type PostOptions } from './endpoints/post-json.ts'
import type { CallResult } from './mcp-session.ts'
import type { Agent, AgentToolkit } from './run-task.ts'

export const apis = ['anthropic', 'openai'] as const
export type Api = (typeof apis)[number]

const adapters: Record<
  Api,
  { open: (options: DialogueOptions) => Dialogue; headers: (key: string | undefined) => Record<string, string> }
> = {
  anthropic: { open: anthropicDialogue, headers: anthropicHeaders },
  openai: { open: openaiDialogue, headers: openaiHeaders },
}

export interface LiveOptions extends Omit<PostOptions, 'headers'> {
  api: Api
  model: string
  key?: string | undefined
  /** The maximum number of steps of a model in one turn of the user. */
  maxSteps?: number
}

const systemPreamble =
  'You help a person with their library of books. You reach it through tools. ' +
  'When you need something that only the person can decide, ask and end your turn.'

/** An agent that uses the model of an endpoint. The server's instructions are its system prompt. */
export function liveAgent({ api, model, key, maxSteps = 20, ...post }: LiveOptions): Agent {
  const { open, headers } = adapters[api]
  const poster = createJsonPoster({ ...post, headers: headers(key) })
  let dialogue: Dialogue | undefined
  return {
    async answer(message, toolkit) {
      dialogue ??= open({
        model,
        system: `${systemPreamble}\n\n${toolkit.instructions}`,
        tools: toolkit.tools,
        post: poster,
      })
      dialogue.addUserMessage(message)
      return runTurn(dialogue, toolkit, maxSteps)
    },
  }
}

/** Runs the calls of the model until it has answered. Texts of paused steps are part of the answer. */
async function runTurn(dialogue: Dialogue, toolkit: AgentToolkit, maxSteps: number): Promise<string> {
  const replies: string[] = []
  for (let step = 0; step < maxSteps; step++) {
    const { text, calls, stop } = await dialogue.nextStep()
    if (stop === 'truncated')
      throw new Error(`The answer was cut at the model's limit of tokens: ${text.slice(0, 200)}`)
    if (calls.length > 0) {
      dialogue.addResults(await makeCalls(calls, toolkit))
      continue
    }
    replies.push(text)
    if (stop !== 'pause') return replies.join('\n')
  }
  throw new Error(`No answer after ${maxSteps} steps`)
}

async function makeCalls(calls: readonly RequestedCall[], toolkit: AgentToolkit) {
  const validCalls = calls.filter(({ problem }) => problem === undefined)
  const results =
    validCalls.length > 0
      ? await toolkit.callTools(validCalls.map(({ tool, arguments: args }) => ({ tool, arguments: args })))
      : []
  const byId = new Map(validCalls.map(({ id }, at) => [id, results[at] as CallResult]))
  return calls.map(({ id, problem = '' }) => ({ id, result: byId.get(id) ?? { text: [problem], isError: true } }))
}
