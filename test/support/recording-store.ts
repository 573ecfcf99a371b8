import { MongoClient, type CommandStartedEvent, type Db, type Document } from 'mongodb'

export interface SentCommand {
  name: string
  command: Document
  /** Number of the wave, from 1; commands of the same wave ran concurrently. */
  round: number
}

/** A database connection that records every command. */
export interface RecordingStore {
  db: Db
  /** The commands that `run` sends, in order. */
  record(run: () => Promise<unknown>): Promise<SentCommand[]>
  /** The number of documents that these queries examine. */
  countExamined(commands: readonly SentCommand[]): Promise<number>
  close(): Promise<void>
}

const queryCommands = new Set(['find', 'aggregate', 'count', 'distinct'])

/** Opens a watched connection to the database `name` at `url`. */
export async function openRecordingStore(url: string, name: string): Promise<RecordingStore> {
  const client = await new MongoClient(url, { monitorCommands: true }).connect()
  const db = client.db(name)
  let sent: SentCommand[] = []
  let inFlight = 0
  client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    const last = sent.at(-1)?.round ?? 0
    sent.push({ name: commandName, command, round: inFlight === 0 ? last + 1 : last })
    inFlight += 1
  })
  for (const end of ['commandSucceeded', 'commandFailed'] as const) client.on(end, () => (inFlight -= 1))
  return {
    db,
    async record(run) {
      sent = []
      await run()
      return sent.slice()
    },
    async countExamined(commands) {
      let sum = 0
      for (const { name: commandName, command } of commands) {
        if (!queryCommands.has(commandName)) continue
        const { $db: _, lsid: _lsid, ...query } = command
        const { executionStats } = await db.command({ explain: query, verbosity: 'executionStats' })
        sum += executionStats.totalDocsExamined
      }
      return sum
    },
    close: () => client.close(),
  }
}
