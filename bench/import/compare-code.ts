/** The number of code lines, and how many of them are in code fences. */
export interface CodeScore {
  lines: number
  fenced: number
}

/** Compares the code lines of each page with the lines in its Markdown fences, ignoring white space. */
export function compareCode(pages: readonly string[], expected: readonly (readonly string[])[]): CodeScore {
  const score = { lines: 0, fenced: 0 }
  for (const [index, lines] of expected.entries()) {
    const fenced = fencedText(pages[index] ?? '')
    for (const line of lines) {
      const plain = withoutSpace(line).replace(/^\d{1,4}(?=\D)/, '')
      if (plain === '') continue
      score.lines += 1
      if (fenced.includes(plain)) score.fenced += 1
    }
  }
  return score
}

function fencedText(page: string): string {
  let fence: string | undefined
  const lines = page.split('\n').filter((line) => {
    const mark = /^\s*(`{3,})/.exec(line)?.[1]
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && fence !== undefined && mark === fence) fence = undefined
    else return fence !== undefined
    return false
  })
  return withoutSpace(lines.join('\n'))
}

function withoutSpace(text: string): string {
  return text.normalize('NFKC').replace(/[\s\u00ad\u200b]+/g, '')
}
