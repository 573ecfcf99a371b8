const DAY = 86_400_000

/** 1 for 1 January. */
export function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - startOfYear(local.getUTCFullYear())) / DAY) + 1
}

/** Weeks from Sunday to Saturday; the days before the first Sunday of the year are week 0. */
export function week(local: Date): number {
  return Math.floor((dayOfYear(local) - 1 + 7 - local.getUTCDay()) / 7)
}

/** The ISO 8601 week: it belongs to the year in which its Thursday lies. */
export function isoWeek(local: Date): { year: number; week: number } {
  const thursday = new Date(local.getTime() + (4 - (local.getUTCDay() || 7)) * DAY)
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}

function startOfYear(year: number): number {
  return new Date(0).setUTCFullYear(year, 0, 1)
}
