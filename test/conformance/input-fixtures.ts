import { randomBytes } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { conversingFixture, said } from './define-fixture.ts'

/** Seals what goes through the client's hands between two rounds of a call. */
export const stateCodec = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) })

type Schema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']
type Asked = ReturnType<typeof inputRequired.elicit>

/** A question to the user for the fields of an object. */
export function elicit(message: string, properties: object, required?: string[]): Asked {
  const requestedSchema = { type: 'object', properties, ...(required ? { required } : {}) } as unknown as Schema
  return inputRequired.elicit({ message, requestedSchema })
}

const name = (message: string) => elicit(message, { name: { type: 'string' } }, ['name'])
const confirm = elicit('Please confirm', { ok: { type: 'boolean' } }, ['ok'])

const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

/** Asks for what has not been answered yet and answers when all has been. */
export function ask(
  { mcpReq }: ServerContext,
  inputRequests: Record<string, Asked>,
  answer: (responses: Record<string, unknown>) => string,
): object {
  const responses = mcpReq.inputResponses ?? {}
  const missing = Object.entries(inputRequests).filter(([key]) => !Object.hasOwn(responses, key))
  if (missing.length > 0) return inputRequired({ inputRequests: Object.fromEntries(missing) })
  return said(answer(responses))
}

/** As `ask`, with a sealed state that has to come back. */
async function askWithState(exchange: ServerContext, requests: Record<string, Asked>, done: string): Promise<object> {
  if (exchange.mcpReq.requestState<{ round: number }>()?.round === 1) return said(done)
  return inputRequired({ inputRequests: requests, requestState: await stateCodec.mint({ round: 1 }) })
}

/** The tools of the suite that ask the client for input, in the rounds of 2026-07-28. */
export const askingFixtures = [
  conversingFixture({ name: 'test_input_required_result_elicitation', description: 'Asks for a name.' }, (exchange) =>
    ask(exchange, { user_name: name('What is your name?') }, ({ user_name }) => `Hello, ${JSON.stringify(user_name)}!`),
  ),
  conversingFixture({ name: 'test_input_required_result_sampling', description: 'Asks a model.' }, (exchange) =>
    ask(exchange, { capital_question: sample('What is the capital of France?', 100) }, (answers) =>
      JSON.stringify(answers.capital_question),
    ),
  ),
  conversingFixture({ name: 'test_input_required_result_list_roots', description: 'Asks for roots.' }, (exchange) =>
    ask(exchange, { client_roots: inputRequired.listRoots() }, (answers) => JSON.stringify(answers.client_roots)),
  ),
  conversingFixture(
    { name: 'test_input_required_result_request_state', description: 'Asks with a state that has to come back.' },
    (exchange) => askWithState(exchange, { confirm }, 'state-ok'),
  ),
  conversingFixture(
    { name: 'test_input_required_result_tampered_state', description: 'Asks with a state that must not be changed.' },
    (exchange) => askWithState(exchange, { confirm }, 'state-ok'),
  ),
  conversingFixture(
    { name: 'test_input_required_result_multiple_inputs', description: 'Asks for three things at once.' },
    (exchange) =>
      askWithState(
        exchange,
        {
          user_name: name('What is your name?'),
          greeting: sample('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        'All there.',
      ),
  ),
  conversingFixture({ name: 'test_input_required_result_multi_round', description: 'Asks twice.' }, rounds),
  conversingFixture(
    { name: 'test_input_required_result_capabilities', description: 'Asks for what the client can give only.' },
    (exchange) => {
      const able =
        (exchange.mcpReq.envelope as Record<string, object> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
      return ask(
        exchange,
        {
          ...('sampling' in able ? { greeting: sample('Generate a greeting', 50) } : {}),
          ...('elicitation' in able ? { user_name: name('What is your name?') } : {}),
        },
        () => 'Done.',
      )
    },
  ),
  conversingFixture({ name: 'test_missing_capability', description: 'Asks a model, always.' }, (exchange) =>
    ask(exchange, { greeting: sample('Generate a greeting', 50) }, () => 'Done.'),
  ),
  conversingFixture({ name: 'test_streaming_elicitation', description: 'Asks for a name.' }, (exchange) =>
    ask(exchange, { user_name: name('What is your name?') }, () => 'Done.'),
  ),
]

async function rounds({ mcpReq }: ServerContext): Promise<object> {
  const round = (mcpReq.requestState<{ round: number }>()?.round ?? 0) + 1
  if (round === 3) return said('Done.')
  const question: Record<string, Asked> =
    round === 1
      ? { step1: name('Step 1: What is your name?') }
      : { step2: elicit('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']) }
  return inputRequired({ inputRequests: question, requestState: await stateCodec.mint({ round }) })
}
