import { expect, test } from 'vitest'
import { createSlots } from '../../src/runtime/slots.ts'

/** The order in which the calls of these keys get a slot, if all of them ask at once and each keeps it for a moment. */
async function orderOf(keys: readonly string[], { perKey, total }: { perKey: number; total: number }) {
  const slots = createSlots({ perKey, total, maxWaitingPerKey: Infinity, maxWaitMs: 60_000 })
  const order: string[] = []
  const calls = keys.map(async (key) => {
    const release = await slots.take(key)
    order.push(key)
    await new Promise(setImmediate)
    release?.()
  })
  await Promise.all(calls)
  return order.join('')
}

test.for<[what: string, keys: string, limits: { perKey: number; total: number }, order: string]>([
  ['that come late', 'aaaab', { perKey: 1, total: 1 }, 'aabaa'],
  ['of two that have many', 'aaabbbc', { perKey: 1, total: 1 }, 'aabcabb'],
  ['with several slots', 'aaaabbbc', { perKey: 2, total: 2 }, 'aaabcabb'],
  ['that are alone', 'aaaa', { perKey: 2, total: 4 }, 'aaaa'],
])('keys take turns: those %s', async ([, keys, limits, order]) => {
  expect(await orderOf([...keys], limits)).toBe(order)
})

test('a call whose client disconnects together with the one before it gets no slot', async () => {
  const slots = createSlots({ perKey: 1, total: 1, maxWaitingPerKey: Infinity, maxWaitMs: 60_000 })
  const release = await slots.take('a')
  const client = new AbortController()
  const [gone, next] = [slots.take('a', client.signal), slots.take('a')]
  release?.()
  client.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  expect(await next).not.toBeNull()
})
