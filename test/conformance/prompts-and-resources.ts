import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { elicitFields } from './input-fixtures.ts'
import { png } from './define-fixture.ts'

const userMessage = (content: object) => ({ role: 'user', content })
const textMessage = (words: string) => userMessage({ type: 'text', text: words })

interface Prompt {
  description: string
  arguments?: string[]
  messages(args: Record<string, string>, exchange: ServerContext): object[] | null
}

const prompts: Record<string, Prompt> = {
  test_simple_prompt: {
    description: 'One message.',
    messages: () => [textMessage('This is a simple prompt for testing.')],
  },
  test_prompt_with_arguments: {
    description: 'A message with two arguments in it.',
    arguments: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [textMessage(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: 'A message with a resource.',
    arguments: ['resourceUri'],
    messages: ({ resourceUri }) => [
      userMessage({
        type: 'resource',
        resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      textMessage('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    description: 'A message with a picture.',
    messages: () => [
      userMessage({ type: 'image', data: png, mimeType: 'image/png' }),
      textMessage('Please analyze the image above.'),
    ],
  },
  test_input_required_result_prompt: {
    description: 'Asks before it answers.',
    messages: (_, { mcpReq }) => {
      const context = mcpReq.inputResponses?.['user_context']
      return context === undefined ? null : [textMessage(`Context: ${JSON.stringify(context)}`)]
    },
  },
}

const question = elicitFields('What context should the prompt use?', { context: { type: 'string' } }, ['context'])

const resources = [
  {
    uri: 'test://static-text',
    name: 'text',
    description: 'A text.',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  { uri: 'test://static-binary', name: 'picture', description: 'A picture.', mimeType: 'image/png', blob: png },
]

/** Adds the suite's prompts, resources and completions to a server. */
export function addPromptsAndResources(server: Server): void {
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(prompts).map(([name, { description, arguments: names = [] }]) => ({
      name,
      description,
      arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, exchange) => {
    const prompt = prompts[params.name]
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    const messages = prompt.messages(params.arguments ?? {}, exchange)
    return messages === null ? inputRequired({ inputRequests: { user_context: question } }) : ({ messages } as never)
  })
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ text: _text, blob: _blob, ...shown }) => shown),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [contentOf(uri)] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}

function contentOf(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { uri, mimeType: 'application/json', text: data }
  }
  const found = resources.find((resource) => resource.uri === uri)
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  const { mimeType, text: words, blob } = found
  return words === undefined ? { uri, mimeType, blob: blob } : { uri, mimeType, text: words }
}
