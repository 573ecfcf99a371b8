/** A number of pages in words, such as `1 page` or `1,204 pages`. */
export function formatPageCount(count: number): string {
  return count === 1 ? '1 page' : `${count.toLocaleString('en-GB')} pages`
}
