import { BSON, Long } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as groups from '../../db/embedded/cases/refused.ts'
import type { RefusedCase } from '../../db/embedded/cases/refused.ts'
import { openEmbedded } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { sendCommand } from '../../support/wire-client.ts'

let store: OpenStore
beforeAll(async () => {
  store = await openEmbedded()
  await store.db.collection('c').insertOne({ a: [1], b: 1 })
})
afterAll(() => store.close())

describe.for(Object.entries(groups))('what the embedded store does not support is refused by name: %s', ([, cases]) => {
  test.for([...cases])('%s', async ([word, command, code]: RefusedCase) => {
    const numbers = 'txnNumber' in command && {
      txnNumber: Long.fromNumber(1),
      lsid: { id: new BSON.UUID().toBinary() },
    }
    const reply = await sendCommand(store.url, { ...command, ...numbers, $db: store.db.databaseName })
    const [error] = reply['writeErrors'] ?? [reply]
    expect(error.code).toBe(code)
    expect(error.errmsg).toContain(word)
    expect(await store.db.collection('c').findOne({}, { projection: { _id: 0 } })).toEqual({ a: [1], b: 1 })
  })
})
