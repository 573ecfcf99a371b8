import { Double, Int32 } from 'bson'
import type { Doc } from '../bson/values.ts'
import type { Call, Command } from './command.ts'
import { maxDocumentBytes, maxMessageBytes, maxWriteBatch } from './limits.ts'

const wireVersion = 21 // MongoDB 7.0

/** A replica set of one: drivers use retryable writes only with a replica set or a sharded cluster. */
function describe({ engine, scope }: Call): Doc {
  return {
    hosts: [engine.address],
    setName: 'embedded',
    setVersion: new Int32(1),
    secondary: false,
    primary: engine.address,
    me: engine.address,
    maxBsonObjectSize: new Int32(maxDocumentBytes),
    maxMessageSizeBytes: new Int32(maxMessageBytes),
    maxWriteBatchSize: new Int32(maxWriteBatch),
    localTime: scope.now,
    logicalSessionTimeoutMinutes: new Int32(30),
    connectionId: new Int32(1),
    minWireVersion: new Int32(0),
    maxWireVersion: new Int32(wireVersion),
    readOnly: false,
    ok: new Double(1),
  }
}

// Fields in which a driver describes itself or requests features: compression, authentication mechanisms, streamed
// replies. None of these features is offered.
const helloFields = ['client', 'compression', 'helloOk', 'backpressure', 'loadBalanced', 'saslSupportedMechs'].concat([
  'speculativeAuthenticate',
  'topologyVersion',
  'maxAwaitTimeMS',
])

export const hello: Command = {
  kind: 'none',
  fields: helloFields,
  run: (call) => ({ isWritablePrimary: true, ...describe(call) }),
}

/** The name of `hello` before MongoDB 5, which drivers send first on each connection. */
export const isMaster: Command = {
  kind: 'none',
  fields: helloFields,
  run: (call) => ({ helloOk: true, ismaster: true, ...describe(call) }),
}

export const ping: Command = { kind: 'none', fields: [], run: () => ({ ok: new Double(1) }) }
