import { chmodSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import type { Engine } from './commands/command.ts'
import { Cursors } from './engine/cursors.ts'
import { deleteExpired } from './engine/ttl.ts'
import { chooseAddress, clearAddress, portUrl, socketUrl, writeUrl } from './protocol/address.ts'
import type { Address } from './protocol/address.ts'
import { Scheduler } from './protocol/scheduler.ts'
import { createListener } from './protocol/server.ts'
import { Catalog } from './storage/catalog.ts'
import { GroupCommit } from './storage/group-commit.ts'
import { lockDirectory } from './storage/lock.ts'
import { Retries } from './storage/retries.ts'
import { releasePages, shouldShrink } from './storage/shrink.ts'
import { closeStorage, openStorage, truncateLog, type Connection } from './storage/sqlite.ts'

/** A running store: its URL, the counters of its changes (see `storage/changes.ts`) and a function that stops it. */
export type RunningStore = { url: string; changes: SharedArrayBuffer; stop(): Promise<void> }

const sweepIntervalMs = 60_000
const drainTimeoutMs = 5_000

/** Opens the directory's store and listens; throws if another process uses the directory. */
export async function runStore(directory: string, log: (error: unknown) => void): Promise<RunningStore> {
  const unlock = lockDirectory(directory)
  const connection = openStorage(directory)
  const catalog = new Catalog(connection)
  const cursors = new Cursors()
  const retries = new Retries(connection)
  const commits = new GroupCommit({ connection, catalog })
  clearAddress(directory)
  const address = chooseAddress(directory)
  const engine: Engine = { connection, catalog, cursors, address: 'socket' in address ? address.socket : '127.0.0.1' }
  const scheduler = new Scheduler({ engine, commits, retries, log })
  const connections = listenerOf({ scheduler, address, log })
  const url = await listen(connections.server, address)
  writeUrl(directory, url)
  const sweep = () => sweepOnce({ scheduler, engine, retries })
  sweep()
  const timer = setInterval(sweep, sweepIntervalMs)
  return {
    url,
    changes: catalog.changes.buffer,
    async stop() {
      clearInterval(timer)
      connections.server.close()
      await drained(scheduler)
      connections.end()
      clearAddress(directory)
      closeStorage(connection)
      unlock()
    },
  }
}

function listenerOf({
  scheduler,
  address,
  log,
}: {
  scheduler: Scheduler
  address: Address
  log: (error: unknown) => void
}) {
  const server = createListener({ scheduler, secret: address.secret, log })
  const sockets = new Set<{ destroySoon(): void }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const end = () => {
    for (const socket of sockets) socket.destroySoon()
  }
  return { server, end }
}

async function listen(server: Server, address: Address): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  if ('socket' in address) {
    // A leftover of a killed process: the lock proves that the process has ended.
    rmSync(address.socket, { force: true })
    server.listen(address.socket, resolve)
  } else {
    server.listen(0, '127.0.0.1', resolve)
  }
  await promise
  if ('socket' in address) {
    chmodSync(address.socket, 0o600)
    return socketUrl(address.socket, address.secret)
  }
  const bound = server.address()
  return portUrl(bound !== null && typeof bound === 'object' ? bound.port : 0, address.secret)
}

type Sweep = { scheduler: Scheduler; engine: Engine; retries: Retries }

/** Deletes expired data and returns free space to the system, in batches that let commands run in between. */
function sweepOnce({ scheduler, engine, retries }: Sweep): void {
  const now = Date.now()
  engine.cursors.expire(now)
  const batch = () => {
    if (deleteExpired(engine, now)) scheduler.submitBackground(batch)
    else if (shouldShrink(engine.connection)) scheduler.submitBackground(shrink)
  }
  const shrink = () => {
    if (releasePages(engine.connection)) scheduler.submitBackground(shrink)
    // Runs after the commit that ends this turn.
    else setImmediate(() => truncateFile(engine.connection))
  }
  scheduler.submitBackground(() => {
    retries.expire(now)
    batch()
  })
}

/** Checkpoints the write-ahead log, which gives the file its new size. */
function truncateFile(connection: Connection): void {
  if (connection.isOpen && !connection.inTransaction) truncateLog(connection)
}

/** Waits until all received commands have been answered, at most five seconds. */
async function drained(scheduler: Scheduler): Promise<void> {
  const deadline = Date.now() + drainTimeoutMs
  do {
    await new Promise((resolve) => setTimeout(resolve, 10))
  } while (!scheduler.idle && Date.now() < deadline)
}
