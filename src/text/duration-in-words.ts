import { counted } from './counted.ts'

const minuteMs = 60_000
const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const

/** A duration in its largest unit, rounded down, such as `3 hours`; `less than a minute` if it is shorter. */
export function durationInWords(ms: number): string {
  const unit = units.find(([, each]) => ms >= each)
  return unit === undefined ? 'less than a minute' : counted(Math.floor(ms / unit[1]), unit[0])
}
