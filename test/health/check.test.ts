import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runHealthChecks, well, type HealthCheck } from '../../src/health/check.ts'
import { createServerHealth } from '../../src/health/health.ts'

const check = (name: string, look: HealthCheck['look']): HealthCheck => ({
  name,
  title: name,
  look,
  remedy: 'Mend it.',
})
const never = () => new Promise<never>(() => {})

test('a part that does not answer delays the others by its limit only', async () => {
  const start = performance.now()
  const parts = await runHealthChecks(
    [
      check('silent', never),
      check('broken', () => Promise.reject(new Error('The disk is gone.'))),
      check('thrown', () => {
        throw new Error('Not even started.')
      }),
      check('silent too', never),
      check('well', async () => well('Fine.')),
    ],
    100,
  )
  expect(performance.now() - start).toBeLessThan(1000)
  const late = { ok: false, detail: 'There was no answer within 0.1 seconds.', remedy: 'Mend it.' }
  expect(parts).toEqual([
    { name: 'silent', title: 'silent', ...late },
    expect.objectContaining({ ok: false, detail: 'This could not be checked: The disk is gone.', remedy: 'Mend it.' }),
    expect.objectContaining({ ok: false, detail: 'This could not be checked: Not even started.' }),
    { name: 'silent too', title: 'silent too', ...late },
    { name: 'well', title: 'well', ok: true, detail: 'Fine.', remedy: null },
  ])
})

test('pages about something else share one look a minute, and do not wait for a part that does not answer', async () => {
  let [looks, at] = [0, 0]
  const silent = check('silent', () => {
    looks += 1
    return never()
  })
  const health = createServerHealth([silent], { now: () => new Date(at) })
  const start = performance.now()
  expect(await Promise.all([health.knownProblems(), health.knownProblems()])).toEqual([[], []])
  expect(performance.now() - start).toBeLessThan(2000)
  expect(looks).toBe(1)
  await health.check()
  expect((await health.knownProblems()).map(({ name }) => name)).toEqual(['silent'])
  expect(looks).toBe(1)
  at += 61_000
  const asked = performance.now()
  // What was seen before, while the new look is under way.
  expect((await health.knownProblems()).map(({ name }) => name)).toEqual(['silent'])
  expect(performance.now() - asked).toBeLessThan(2000)
  expect(looks).toBe(2)
  await delay(1)
})
