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
  /** The first bytes of a file, or those at an offset, as Latin-1. */
  start: string
  at?: number
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
  { start: "7z\u00bc\u00af'\u001c", files: '7z archives', target: '.cbz, EPUB or PDF' },
  { start: 'TPZ', files: 'Topaz files for Kindle', target: 'EPUB' },
  { start: 'CONT\u0002\u0000', files: '.kfx files', target: 'EPUB' },
  { start: '\u00eaDRMION\u00ee', files: 'copy-protected .kfx files', target: 'EPUB without protection' },
  { start: 'TEXtREAd', at: 60, files: 'Palm documents', target: 'EPUB or plain text' },
]

const headLength = 128

/** What to do with a file of such a format, by its first bytes; null for other files. */
export function conversionAdviceFor(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.subarray(0, headLength)).toString('latin1')
  const found = unreadContents.find(({ start, at = 0 }) => bytes.startsWith(start, at))
  return found ? advice(found.files, found.target) : null
}

function advice(files: string, target: string): string {
  return `Lectern does not read ${files}. Save it as ${target}, then add that copy.`
}
