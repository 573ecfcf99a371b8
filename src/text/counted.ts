/** A number with its noun for messages: `1 page`, `2 pages`; `many` is the plural if it has more than an additional s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
