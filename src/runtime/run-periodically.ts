/**
 * Runs a task now and every `intervalMs` ms; skips a run while an earlier one lasts. `stop` waits for the current run.
 * The task must not reject.
 */
export function runPeriodically(run: () => Promise<void>, intervalMs: number): { stop(): Promise<void> } {
  let running: Promise<void> | null = null
  const start = () => {
    running ??= run().finally(() => {
      running = null
    })
  }
  start()
  const timer = setInterval(start, intervalMs)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
