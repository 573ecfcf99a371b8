const units = ['KB', 'MB', 'GB', 'TB'] as const

/** Formats a size in decimal units, such as 3.2 MB. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  let [value, unit] = [bytes / 1000, 0]
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${value.toLocaleString('en-GB', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[unit]}`
}
