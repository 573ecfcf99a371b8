/**
 * The chapters of a page, outermost first, as one line such as `Part one › Storms`; empty if there are none. The title of
 * the book, which many books have as their outermost chapter, is left out: every page shows it beside this line.
 */
export function formatChapters(chapters: readonly string[], title: string): string {
  const [outermost, ...inner] = chapters
  return (outermost !== undefined && fold(outermost) === fold(title) ? inner : chapters).join(' › ')
}

function fold(title: string): string {
  return title.replaceAll(/\s+/g, ' ').trim().toLowerCase()
}
