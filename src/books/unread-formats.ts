/** File name extensions of formats that Lectern does not read, and the format to convert each to. */
export const conversions: Readonly<Record<string, string>> = {
  '.doc': '.docx or PDF',
  '.docm': '.docx or PDF',
  '.dot': '.docx or PDF',
  '.wps': '.docx or PDF',
  '.wpd': '.docx or PDF',
  '.pages': '.docx or PDF',
  '.ppt': 'PDF',
  '.pptx': 'PDF',
  '.odp': 'PDF',
  '.key': 'PDF',
  '.xls': 'PDF',
  '.xlsx': 'PDF',
  '.ods': 'PDF',
  '.numbers': 'PDF',
  '.djvu': 'PDF',
  '.djv': 'PDF',
  '.chm': 'EPUB',
  '.lit': 'EPUB',
  '.kfx': 'EPUB',
  '.cbr': '.cbz',
  '.cb7': '.cbz',
}

/** What to do with a file of such a format, by its name; null for other files. */
export function conversionAdvice(filename: string): string | null {
  const extension = /\.[^.]+$/.exec(filename.trim().toLowerCase())?.[0] ?? ''
  const target = Object.hasOwn(conversions, extension) ? conversions[extension] : undefined
  return target === undefined ? null : advice(`${extension} files`, target)
}

interface UnreadContent {
  /** The first bytes of a file, as Latin-1. */
  start: string
  files: string
  target: string
}

const unreadContents: readonly UnreadContent[] = [
  {
    start: '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1',
    files: 'older Office files, such as .doc, or Office files with a password',
    target: '.docx or PDF, without a password',
  },
  { start: 'AT&TFORM', files: 'DjVu files', target: 'PDF' },
  { start: 'ITSF', files: '.chm files', target: 'EPUB' },
  { start: 'ITOLITLS', files: '.lit files', target: 'EPUB' },
  { start: 'Rar!\u001a\u0007', files: 'RAR archives', target: '.cbz, EPUB or PDF' },
]

/** What to do with a file of such a format, by its first bytes; null for other files. */
export function conversionAdviceFor(head: Uint8Array): string | null {
  const start = Buffer.from(head.subarray(0, 8)).toString('latin1')
  const found = unreadContents.find((each) => start.startsWith(each.start))
  return found ? advice(found.files, found.target) : null
}

function advice(files: string, target: string): string {
  return `Lectern does not read ${files}. Save it as ${target}, then add that copy.`
}
