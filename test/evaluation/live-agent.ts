import { anthropicDialogue, anthropicHeaders } from './endpoints/anthropic.ts'
import type { AskedCall, Dialogue, DialogueOptions } from './endpoints/endpoint.ts'
import { openaiDialogue, openaiHeaders } from './endpoints/openai.ts'
import { jsonPoster, type PostOptions } from './endpoints/post-json.ts'
import type { CallResult } from './mcp-session.ts'
import type { Agent, Desk } from './run-task.ts'

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
  /** The most steps of a model in one turn of the user. */
  maxSteps?: number
}

const preamble =
  'You help a person with their library of books. You reach it through tools. ' +
  'When you need something that only the person can decide, ask and end your turn.'

/** An agent that a model behind an endpoint drives; the server's instructions are its system prompt. */
export function liveAgent({ api, model, key, maxSteps = 20, ...post }: LiveOptions): Agent {
  const { open, headers } = adapters[api]
  const poster = jsonPoster({ ...post, headers: headers(key) })
  let dialogue: Dialogue | undefined
  return {
    async answer(says, desk) {
      dialogue ??= open({ model, system: `${preamble}\n\n${desk.instructions}`, tools: desk.tools, post: poster })
      dialogue.say(says)
      return converse(dialogue, desk, maxSteps)
    },
  }
}

/** Lets the model make its calls until it has answered. Texts of paused steps are part of the answer. */
async function converse(dialogue: Dialogue, desk: Desk, maxSteps: number): Promise<string> {
  const said: string[] = []
  for (let step = 0; step < maxSteps; step++) {
    const { text, calls, stop } = await dialogue.next()
    if (stop === 'cut') throw new Error(`The answer was cut at the model's limit of tokens: ${text.slice(0, 200)}`)
    if (calls.length > 0) {
      dialogue.report(await makeCalls(calls, desk))
      continue
    }
    said.push(text)
    if (stop !== 'pause') return said.join('\n')
  }
  throw new Error(`No answer after ${maxSteps} steps`)
}

async function makeCalls(calls: readonly AskedCall[], desk: Desk) {
  const sound = calls.filter(({ problem }) => problem === undefined)
  const results =
    sound.length > 0 ? await desk.act(sound.map(({ tool, arguments: args }) => ({ tool, arguments: args }))) : []
  const byId = new Map(sound.map(({ id }, at) => [id, results[at] as CallResult]))
  return calls.map(({ id, problem = '' }) => ({ id, result: byId.get(id) ?? { text: [problem], isError: true } }))
}
