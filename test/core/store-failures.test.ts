import { MongoServerError, MongoWriteConcernError } from 'mongodb'
import { expect, test } from 'vitest'
import { isStoreUnavailable } from '../../src/core/errors.ts'

const serverError = (code: number) => new MongoServerError({ code, message: 'failed' })
const writeConcern = (code: number) => ({ code, errmsg: 'waiting for replication failed' })

test.for([
  ['a router that finds no primary', serverError(133)],
  ['a router that does not reach a shard', serverError(6)],
  ['a router that cannot look up a shard', serverError(7)],
  ['a timeout between machines of the database', serverError(89)],
  ['a lost connection between machines of the database', serverError(9001)],
  ['a member that is no longer primary', serverError(10_107)],
  [
    'a primary that steps down during a write',
    new MongoWriteConcernError({ ok: 1, writeConcernError: writeConcern(11_602) }),
  ],
  [
    'a write that is not replicated in time',
    new MongoWriteConcernError({ ok: 1, writeConcernError: writeConcern(64) }),
  ],
] as const)('%s counts as an unavailable store', ([, error]) => {
  expect(isStoreUnavailable(error)).toBe(true)
})

test.for([
  ['a duplicate key', serverError(11_000)],
  ['an unknown command', serverError(59)],
  ['an unknown write concern', new MongoWriteConcernError({ ok: 1, writeConcernError: writeConcern(79) })],
] as const)('%s does not', ([, error]) => {
  expect(isStoreUnavailable(error)).toBe(false)
})
