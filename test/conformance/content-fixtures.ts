import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../src/core/errors.ts'
import { conversingFixture, fixture, png, said, wav } from './define-fixture.ts'

const image = { type: 'image', data: png, mimeType: 'image/png' }

const resource = (uri: string, mimeType: string, text: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text },
})

/** The tools of the suite that answer with content of every kind, report progress or log. */
export const contentFixtures = [
  fixture({ name: 'test_simple_text', description: 'Answers with text.' }, () =>
    said('This is a simple text response for testing.'),
  ),
  fixture({ name: 'test_image_content', description: 'Answers with a picture.' }, () => ({ content: [image] })),
  fixture({ name: 'test_audio_content', description: 'Answers with a sound.' }, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  })),
  fixture({ name: 'test_embedded_resource', description: 'Answers with a resource.' }, () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  fixture({ name: 'test_multiple_content_types', description: 'Answers with content of three kinds.' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  fixture({ name: 'test_error_handling', description: 'Always refuses.' }, () => {
    throw new AppError('CONFLICT', 'This tool intentionally returns an error for testing')
  }),
  conversingFixture({ name: 'test_tool_with_progress', description: 'Reports its progress.' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      }
      await delay(20)
    }
    return said('Done.')
  }),
  conversingFixture({ name: 'test_tool_with_logging', description: 'Logs to the client.' }, logging),
  conversingFixture({ name: 'test_logging_tool', description: 'Logs to the client that asked for it.' }, logging),
]

async function logging({ mcpReq }: Parameters<Parameters<typeof conversingFixture>[1]>[0]): Promise<object> {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', message)
    await delay(20)
  }
  return said('Done.')
}
