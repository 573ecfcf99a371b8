/**
 * Returns a function that counts events, and reports their number and the last one: at once, then at most once per
 * `intervalMs`.
 */
export function reportInIntervals<Event = void>(
  report: (count: number, last: Event) => void,
  intervalMs = 60_000,
): (event: Event) => void {
  let count = 0
  let last: Event
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    if (count === 0) return
    report(count, last)
    count = 0
    timer = setTimeout(flush, intervalMs).unref()
  }
  return (event) => {
    count++
    last = event
    if (!timer) flush()
  }
}
