import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent } from 'mongodb'
import { vi } from 'vitest'
import { readSignal } from '../../src/core/cancellation.ts'
import { tools } from '../../tools/index.ts'
import type { ToolResponse, Transport } from './transports.ts'
import { mountTools } from './mount-tools.ts'
import type { Person, TestServer } from './server.ts'

/** One command that a call has sent to the store. */
export interface SentCommand {
  name: string
  collection: string
  /** True if it was sent after the reply to another command, in a separate round trip. */
  isLaterRoundTrip: boolean
  /**
   * True if it was sent only for this call, which had not written yet; false in a round trip that may serve others,
   * too.
   */
  isCancellable: boolean
}

export interface CallTrace {
  answer: ToolResponse
  /** In order, until all work of the call had ended. */
  commands: SentCommand[]
}

export interface DisconnectingClient {
  /** A server that offers all tools to disconnecting clients, with the data of the server below. */
  server: TestServer
  /**
   * Calls a tool. The client disconnects when the call sends its `at`th command (from 1; never if omitted). The
   * connection itself stays open, so that the answer shows the outcome of the call.
   */
  call(
    transport: Transport,
    call: { person: Person; tool: string; input?: Record<string, unknown>; disconnectAt?: number },
  ): Promise<CallTrace>
  close(): Promise<void>
}

/** Commands before the call is authenticated, and commands that the driver sends by itself. */
const ignoredCollections = new Set(['keys', 'rates'])
const driverCommands = new Set(['killCursors', 'endSessions', 'hello', 'ping'])

/** Offers all tools of a server, which was started with `monitorCommands`, to clients that disconnect during a call. */
export async function createDisconnectingClient(base: TestServer): Promise<DisconnectingClient> {
  let controller = new AbortController()
  let disconnectAt = Infinity
  let commands: SentCommand[] = []
  let isRecording = false
  let hasReply = false
  const inFlight = new Set<number>()
  const { client } = base.running.opened.database.db
  client.on('commandStarted', ({ commandName, command, requestId }: CommandStartedEvent) => {
    const collection = String(command[commandName === 'getMore' ? 'collection' : commandName])
    if (!isRecording || ignoredCollections.has(collection) || driverCommands.has(commandName)) return
    inFlight.add(requestId)
    commands.push({
      name: commandName,
      collection,
      isLaterRoundTrip: hasReply,
      isCancellable: readSignal() !== undefined,
    })
    if (commands.length === disconnectAt) controller.abort('gone')
  })
  const onCommandEnd = ({ requestId }: CommandSucceededEvent | CommandFailedEvent) => {
    if (inFlight.delete(requestId)) hasReply = true
  }
  client.on('commandSucceeded', onCommandEnd)
  client.on('commandFailed', onCommandEnd)
  const mounted = await mountTools(base, tools, (request) =>
    Object.defineProperty(request, 'signal', { value: controller.signal }),
  )
  return {
    server: mounted.server,
    async call(transport, { person, tool, input, disconnectAt: at = Infinity }) {
      controller = new AbortController()
      disconnectAt = at
      commands = []
      hasReply = false
      isRecording = true
      const answer = await transport.call(mounted.server, person, tool, input).catch((error: unknown) => {
        // An answer that had begun ends in the middle.
        if (!controller.signal.aborted) throw error
        return cutOff
      })
      await vi.waitUntil(() => inFlight.size === 0, { timeout: 20_000 })
      isRecording = false
      return { answer, commands }
    },
    close: () => mounted.close(),
  }
}

/** The representation of an answer that ends in the middle. */
const cutOff = { ok: false, status: 200, code: undefined, text: '', body: undefined, headers: new Headers() }

const writeCommands = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

/** The kinds of writes in commands, without duplicates, because the number of retries depends on other writers. */
export function writesOf(commands: readonly SentCommand[]): string[] {
  const written = commands
    .filter(({ name }) => writeCommands.has(name))
    .map(({ name, collection }) => `${name} ${collection}`)
    // The rows of completed index work are deleted later, also those of earlier calls.
    .filter((write) => write !== 'delete search_work')
  return [...new Set(written)].sort()
}
