import perfHooks from 'node:perf_hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMetrics } from '../../src/http/metrics.ts'

test('a process with several servers observes its event loop and its garbage collections once', async () => {
  const first = createMetrics()
  const loop = vi.spyOn(perfHooks, 'monitorEventLoopDelay')
  const collections = vi.spyOn(perfHooks.PerformanceObserver.prototype, 'observe')
  onTestFinished(() => void vi.restoreAllMocks())
  const second = createMetrics()
  expect(loop).not.toHaveBeenCalled()
  expect(collections).not.toHaveBeenCalled()
  for (const metrics of [first, second]) {
    const text = await (await metrics.render()).text()
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds ')
    expect(text).toContain('process_cpu_seconds_total ')
  }
})

test('each server counts its own calls', async () => {
  const [one, other] = [createMetrics(), createMetrics()]
  one.countRefusal({ tool: 'search_items', code: 'NOT_FOUND' })
  const counted = 'lectern_refusals_total{tool="search_items",code="NOT_FOUND"} 1'
  expect(await (await one.render()).text()).toContain(counted)
  expect(await (await other.render()).text()).not.toContain(counted)
})
