/** Counts of features in the Markdown of an imported book. */
export interface Marks {
  captions: number
  /** Captions of tables with a table in the previous block or one of the next two. */
  tables: number
  /** Paragraphs of one or two characters, which result from formulas that were broken up. */
  signs: number
  notes: number
  blank: number
}

const caption = /^[*_]*(?:Table|TABLE|Tabelle|Tableau|Tabela|Tabla|表)\s?(?:\d|[IVX])[\d.-]*\s*(?:[:.—–]|[*_]|$)/

export function countFeatures(pages: readonly string[]): Marks {
  const marks: Marks = { captions: 0, tables: 0, signs: 0, notes: 0, blank: 0 }
  for (const page of pages) {
    const blocks = page.split('\n\n')
    if (page.trim() === '') marks.blank += 1
    for (const [index, block] of blocks.entries()) {
      if (/^[^\s`|#-]{1,2}$/u.test(block)) marks.signs += 1
      marks.notes += block.match(/^\[\^[^\]]+\]:/gm)?.length ?? 0
      if (!caption.test(block) || block.length > 400 || block.includes(' … ')) continue
      marks.captions += 1
      if ([blocks[index - 1], blocks[index + 1], blocks[index + 2]].some((near) => near?.startsWith('|')))
        marks.tables += 1
    }
  }
  return marks
}
