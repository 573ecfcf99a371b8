import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import { defineInteractiveFixture, defineFixture, png, textResult, wav } from './define-fixture.ts'

const image = { type: 'image', data: png, mimeType: 'image/png' }

const resource = (uri: string, mimeType: string, text: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text },
})

/** The tools of the suite that return content of every kind, report progress or log. */
export const contentFixtures = [
  defineFixture({ name: 'test_simple_text', description: 'Answers with text.' }, () =>
    textResult('This is a simple text response for testing.'),
  ),
  defineFixture({ name: 'test_image_content', description: 'Answers with a picture.' }, () => ({ content: [image] })),
  defineFixture({ name: 'test_audio_content', description: 'Answers with a sound.' }, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  })),
  defineFixture({ name: 'test_embedded_resource', description: 'Answers with a resource.' }, () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  defineFixture({ name: 'test_multiple_content_types', description: 'Answers with content of three kinds.' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  defineFixture({ name: 'test_error_handling', description: 'Always refuses.' }, () => {
    throw new AppError('CONFLICT', 'This tool intentionally returns an error for testing')
  }),
  defineInteractiveFixture(
    { name: 'test_tool_with_progress', description: 'Reports its progress.' },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
        }
        await delay(20)
      }
      return textResult('Done.')
    },
  ),
  defineInteractiveFixture({ name: 'test_tool_with_logging', description: 'Logs to the client.' }, logThreeMessages),
  defineInteractiveFixture(
    { name: 'test_logging_tool', description: 'Logs to the client that asked for it.' },
    logThreeMessages,
  ),
]

async function logThreeMessages({
  mcpReq,
}: Parameters<Parameters<typeof defineInteractiveFixture>[1]>[0]): Promise<object> {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', message)
    await delay(20)
  }
  return textResult('Done.')
}
