import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent } from 'mongodb'
import { vi } from 'vitest'
import { readSignal } from '../../src/core/cancellation.ts'
import { tools } from '../../tools/index.ts'
import type { Answer, Door } from './transports.ts'
import { mountTools } from './mount-tools.ts'
import type { Person, TestServer } from './server.ts'

/** One command that a call has sent to the store. */
export interface Sent {
  name: string
  collection: string
  /** It began when an answer to another one was there: it was sent in a round of its own. */
  later: boolean
  /** It was sent for this call alone, which had not written yet; false in a round that may serve others too. */
  own: boolean
}

export interface Course {
  answer: Answer
  /** In order, until nothing of the call ran any more. */
  sent: Sent[]
}

export interface LeavingClient {
  /** Where all tools are served for clients that leave, with the data of the server below. */
  server: TestServer
  /**
   * Calls a tool. The client goes away at the moment that the call sends its `at`th command (from 1; never without it);
   * that leaves the connection as it is, so that the answer tells what became of the call.
   */
  call(
    door: Door,
    call: { person: Person; tool: string; input?: Record<string, unknown>; at?: number },
  ): Promise<Course>
  close(): Promise<void>
}

/** What is sent before a call is let in, and what the driver sends by itself. */
const outside = new Set(['keys', 'rates'])
const house = new Set(['killCursors', 'endSessions', 'hello', 'ping'])

/** Serves all tools of a server, started with `monitorCommands`, for clients that go away in the middle of a call. */
export async function leavingClient(base: TestServer): Promise<LeavingClient> {
  let controller = new AbortController()
  let leaveAt = Infinity
  let sent: Sent[] = []
  let watched = false
  let answered = false
  const underWay = new Set<number>()
  const { client } = base.running.open.database.db
  client.on('commandStarted', ({ commandName, command, requestId }: CommandStartedEvent) => {
    const collection = String(command[commandName === 'getMore' ? 'collection' : commandName])
    if (!watched || outside.has(collection) || house.has(commandName)) return
    underWay.add(requestId)
    sent.push({ name: commandName, collection, later: answered, own: readSignal() !== undefined })
    if (sent.length === leaveAt) controller.abort('gone')
  })
  const end = ({ requestId }: CommandSucceededEvent | CommandFailedEvent) => {
    if (underWay.delete(requestId)) answered = true
  }
  client.on('commandSucceeded', end)
  client.on('commandFailed', end)
  const mounted = await mountTools(base, tools, (request) =>
    Object.defineProperty(request, 'signal', { value: controller.signal }),
  )
  return {
    server: mounted.server,
    async call(door, { person, tool, input, at = Infinity }) {
      controller = new AbortController()
      leaveAt = at
      sent = []
      answered = false
      watched = true
      const answer = await door.call(mounted.server, person, tool, input)
      await vi.waitUntil(() => underWay.size === 0, { timeout: 20_000 })
      watched = false
      return { answer, sent }
    },
    close: () => mounted.close(),
  }
}

const writing = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

/** What commands have written, each kind once: how often a step is tried again depends on who else writes. */
export function writesOf(sent: readonly Sent[]): string[] {
  const written = sent.filter(({ name }) => writing.has(name)).map(({ name, collection }) => `${name} ${collection}`)
  return [...new Set(written)].sort()
}
