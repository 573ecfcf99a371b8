import { Double, Int32 } from 'bson'
import type { Call, Command } from './command.ts'
import { maxMessageSize } from '../protocol/wire.ts'
import type { Doc } from '../bson/compare.ts'

const wireVersion = 21 // MongoDB 7.0
const setName = 'embedded'
const version = '7.0.0'

/** A replica set of one: drivers use retryable writes and transactions only with a replica set or a sharded cluster. */
function describe({ engine, scope }: Call): Doc {
  return {
    hosts: [engine.address],
    setName,
    setVersion: new Int32(1),
    secondary: false,
    primary: engine.address,
    me: engine.address,
    maxBsonObjectSize: new Int32(16 * 1024 * 1024),
    maxMessageSizeBytes: new Int32(maxMessageSize),
    maxWriteBatchSize: new Int32(100_000),
    localTime: scope.now,
    logicalSessionTimeoutMinutes: new Int32(30),
    connectionId: new Int32(1),
    minWireVersion: new Int32(0),
    maxWireVersion: new Int32(wireVersion),
    readOnly: false,
    ok: new Double(1),
  }
}

// What a driver says about itself and may ask for: compression, authentication mechanisms, streamed answers. None is offered.
const helloFields = ['client', 'compression', 'helloOk', 'backpressure', 'loadBalanced', 'saslSupportedMechs'].concat([
  'speculativeAuthenticate',
  'topologyVersion',
  'maxAwaitTimeMS',
  'hostInfo',
])

export const hello: Command = {
  kind: 'none',
  fields: helloFields,
  run: (call) => ({ isWritablePrimary: true, ...describe(call) }),
}

export const isMaster: Command = {
  kind: 'none',
  fields: helloFields,
  run: (call) => ({ helloOk: true, ismaster: true, ...describe(call) }),
}

export const ping: Command = { kind: 'none', fields: [], run: () => ({ ok: new Double(1) }) }

export const buildInfo: Command = {
  kind: 'none',
  fields: [],
  run: () => ({
    version,
    versionArray: version
      .split('.')
      .concat('0')
      .map((part) => new Int32(Number(part))),
    gitVersion: 'embedded',
    modules: [],
    bits: new Int32(64),
    debug: false,
    maxBsonObjectSize: new Int32(16 * 1024 * 1024),
    storageEngines: ['sqlite'],
    ok: new Double(1),
  }),
}
