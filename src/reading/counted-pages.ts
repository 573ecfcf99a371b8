/** A number of pages in words for messages: `1 page`, `2 pages`. */
export function countedPages(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`
}
