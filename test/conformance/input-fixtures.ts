import { randomBytes } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { defineInteractiveFixture, textResult } from './define-fixture.ts'

/** Signs and encrypts the state that the client keeps between two rounds of a call. */
export const stateCodec = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) })

type Schema = Parameters<typeof inputRequired.elicit>[0]['requestedSchema']
type InputRequest = ReturnType<typeof inputRequired.elicit>

/** A question to the user for the fields of an object. */
export function elicitFields(message: string, properties: object, required?: string[]): InputRequest {
  const requestedSchema = { type: 'object', properties, ...(required ? { required } : {}) } as unknown as Schema
  return inputRequired.elicit({ message, requestedSchema })
}

const elicitName = (message: string) => elicitFields(message, { name: { type: 'string' } }, ['name'])
const elicitConfirmation = elicitFields('Please confirm', { ok: { type: 'boolean' } }, ['ok'])

const sampleMessage = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

/** Asks for missing answers, and returns the result once all are there. */
export function requestInput(
  { mcpReq }: ServerContext,
  inputRequests: Record<string, InputRequest>,
  answer: (responses: Record<string, unknown>) => string,
): object {
  const responses = mcpReq.inputResponses ?? {}
  const missing = Object.entries(inputRequests).filter(([key]) => !Object.hasOwn(responses, key))
  if (missing.length > 0) return inputRequired({ inputRequests: Object.fromEntries(missing) })
  return textResult(answer(responses))
}

/** Like `requestInput`, with a sealed state that the client must return. */
async function requestInputWithState(
  exchange: ServerContext,
  requests: Record<string, InputRequest>,
  done: string,
): Promise<object> {
  if (exchange.mcpReq.requestState<{ round: number }>()?.round === 1) return textResult(done)
  return inputRequired({ inputRequests: requests, requestState: await stateCodec.mint({ round: 1 }) })
}

/** The tools of the suite that ask the client for input, in rounds as in revision 2026-07-28. */
export const inputFixtures = [
  defineInteractiveFixture(
    { name: 'test_input_required_result_elicitation', description: 'Asks for a name.' },
    (exchange) =>
      requestInput(
        exchange,
        { user_name: elicitName('What is your name?') },
        ({ user_name }) => `Hello, ${JSON.stringify(user_name)}!`,
      ),
  ),
  defineInteractiveFixture({ name: 'test_input_required_result_sampling', description: 'Asks a model.' }, (exchange) =>
    requestInput(exchange, { capital_question: sampleMessage('What is the capital of France?', 100) }, (answers) =>
      JSON.stringify(answers['capital_question']),
    ),
  ),
  defineInteractiveFixture(
    { name: 'test_input_required_result_list_roots', description: 'Asks for roots.' },
    (exchange) =>
      requestInput(exchange, { client_roots: inputRequired.listRoots() }, (answers) =>
        JSON.stringify(answers['client_roots']),
      ),
  ),
  defineInteractiveFixture(
    { name: 'test_input_required_result_request_state', description: 'Asks with a state that has to come back.' },
    (exchange) => requestInputWithState(exchange, { confirm: elicitConfirmation }, 'state-ok'),
  ),
  defineInteractiveFixture(
    { name: 'test_input_required_result_tampered_state', description: 'Asks with a state that must not be changed.' },
    (exchange) => requestInputWithState(exchange, { confirm: elicitConfirmation }, 'state-ok'),
  ),
  defineInteractiveFixture(
    { name: 'test_input_required_result_multiple_inputs', description: 'Asks for three things at once.' },
    (exchange) =>
      requestInputWithState(
        exchange,
        {
          user_name: elicitName('What is your name?'),
          greeting: sampleMessage('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        'All there.',
      ),
  ),
  defineInteractiveFixture(
    { name: 'test_input_required_result_multi_round', description: 'Asks twice.' },
    requestTwice,
  ),
  defineInteractiveFixture(
    { name: 'test_input_required_result_capabilities', description: 'Asks for what the client can give only.' },
    (exchange) => {
      const able =
        (exchange.mcpReq.envelope as Record<string, object> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
      return requestInput(
        exchange,
        {
          ...('sampling' in able ? { greeting: sampleMessage('Generate a greeting', 50) } : {}),
          ...('elicitation' in able ? { user_name: elicitName('What is your name?') } : {}),
        },
        () => 'Done.',
      )
    },
  ),
  defineInteractiveFixture({ name: 'test_missing_capability', description: 'Asks a model, always.' }, (exchange) =>
    requestInput(exchange, { greeting: sampleMessage('Generate a greeting', 50) }, () => 'Done.'),
  ),
  defineInteractiveFixture({ name: 'test_streaming_elicitation', description: 'Asks for a name.' }, (exchange) =>
    requestInput(exchange, { user_name: elicitName('What is your name?') }, () => 'Done.'),
  ),
]

async function requestTwice({ mcpReq }: ServerContext): Promise<object> {
  const round = (mcpReq.requestState<{ round: number }>()?.round ?? 0) + 1
  if (round === 3) return textResult('Done.')
  const elicitations: Record<string, InputRequest> =
    round === 1
      ? { step1: elicitName('Step 1: What is your name?') }
      : { step2: elicitFields('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']) }
  return inputRequired({ inputRequests: elicitations, requestState: await stateCodec.mint({ round }) })
}
