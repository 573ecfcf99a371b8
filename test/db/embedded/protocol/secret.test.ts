import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Cursors } from '../../../../src/db/embedded/engine/cursors.ts'
import { portUrl } from '../../../../src/db/embedded/protocol/address.ts'
import { answersPing } from '../../../../src/db/embedded/protocol/probe.ts'
import { Scheduler } from '../../../../src/db/embedded/protocol/scheduler.ts'
import { createListener } from '../../../../src/db/embedded/protocol/server.ts'
import { Catalog } from '../../../../src/db/embedded/storage/catalog.ts'
import { GroupCommit } from '../../../../src/db/embedded/storage/group-commit.ts'
import { Retries } from '../../../../src/db/embedded/storage/retries.ts'
import { closeStorage, openStorage } from '../../../../src/db/embedded/storage/sqlite.ts'
import { encodeMessage, readReplies } from '../../../support/wire-client.ts'

const log = (error: unknown) => {
  throw error
}

/** The server as it runs without Unix sockets: on a loopback port, with a secret. */
describe('a server on a port', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-port-'))
  const connection = openStorage(directory)
  const [catalog, retries] = [new Catalog(connection), new Retries(connection)]
  const scheduler = new Scheduler({
    engine: { connection, catalog, cursors: new Cursors(), address: '127.0.0.1' },
    commits: new GroupCommit({ connection, catalog }),
    retries,
    log,
  })
  let server: Server
  let port: number
  beforeAll(async () => {
    server = createListener({ scheduler, secret: 'right', log })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.close()
    closeStorage(connection)
    rmSync(directory, { recursive: true })
  })

  test('serves a driver that has the secret', async () => {
    const client = await new MongoClient(portUrl(port, 'right')).connect()
    await client.db('a').collection('c').insertOne({ x: 1 })
    expect(await client.db('a').collection('c').countDocuments()).toBe(1)
    await client.close()
    expect(await answersPing(portUrl(port, 'right'))).toBe(true)
  })

  test('refuses a driver that has another secret', async () => {
    const client = new MongoClient(portUrl(port, 'wrong'), { serverSelectionTimeoutMS: 2000 })
    await expect(client.db('a').collection('c').countDocuments()).rejects.toMatchObject({ code: 18 })
    await client.close()
    expect(await answersPing(portUrl(port, 'wrong'))).toBe(false)
  })

  test.for([
    ['find', { find: 'c', $db: 'a' }],
    ['insert', { insert: 'c', documents: [{ y: 1 }], $db: 'a' }],
    ['listDatabases', { listDatabases: 1, $db: 'admin' }],
    ['dropDatabase', { dropDatabase: 1, $db: 'a' }],
  ] as const)('refuses %s without the secret', async ([, command]) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(encodeMessage(command))
    expect(await readReplies(socket, 1)).toMatchObject([{ ok: 0, code: 13, codeName: 'Unauthorized' }])
  })

  test('answers hello without a secret, because drivers send it before they authenticate', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(encodeMessage({ hello: 1, $db: 'admin' }))
    expect(await readReplies(socket, 1)).toMatchObject([{ ok: 1, isWritablePrimary: true }])
  })

  test('closes a connection that announces a large message before authentication', async () => {
    const socket = connect(port, '127.0.0.1')
    const head = encodeMessage({ ping: 1, $db: 'admin' })
    head.writeInt32LE(40_000_000, 0)
    socket.write(head)
    expect(await readReplies(socket, 1)).toEqual([])
  })
})
