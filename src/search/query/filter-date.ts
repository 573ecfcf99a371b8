const datePattern = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/

/** Returns the start, in UTC, of a year, month or day written as 2024, 2024-05 or 2024-05-31; null for anything else. */
export function readDate(value: string): Date | null {
  const [, year, month = '1', day = '1'] = datePattern.exec(value) ?? []
  if (year === undefined) return null
  const parts = [Number(year), Number(month), Number(day)] as const
  const date = new Date(Date.UTC(parts[0], parts[1] - 1, parts[2]))
  const isReal = date.getUTCMonth() === parts[1] - 1 && date.getUTCDate() === parts[2]
  return isReal ? date : null
}
