import type { MongoClient, TopologyDescriptionChangedEvent } from 'mongodb'
import { hostsOf } from './database-failure.ts'

interface OutageLog {
  warn(fields: { database: string; reason?: string | undefined; seconds?: number }, message: string): void
}

/**
 * Logs one line when the database stops answering and one when it answers again, until the returned function is called.
 * The client must be connected.
 */
export function reportOutages(client: MongoClient, { url, log }: { url: string; log: OutageLog }): () => void {
  const database = hostsOf(url)
  let lostAt: number | null = null
  const onChange = ({ newDescription }: TopologyDescriptionChangedEvent) => {
    const members = [...newDescription.servers.values()]
    if (members.some(({ isWritable }) => isWritable)) {
      if (lostAt === null) return
      const seconds = Math.round((performance.now() - lostAt) / 1000)
      lostAt = null
      log.warn({ database, seconds }, 'the database answers again')
    } else if (lostAt === null) {
      lostAt = performance.now()
      const reason = members.find(({ error }) => error)?.error?.message
      log.warn({ database, reason }, 'the database does not answer; calls are refused until it does')
    }
  }
  client.on('topologyDescriptionChanged', onChange)
  return () => void client.off('topologyDescriptionChanged', onChange)
}
