/** A number of pages in words: `1 page`, `1,200 pages`. */
export function formatPages(count: number): string {
  return count === 1 ? '1 page' : `${count.toLocaleString('en-GB')} pages`
}
