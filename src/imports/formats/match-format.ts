import type { FileFormat } from '../../books/file-formats.ts'
import { utf16Of } from './utf-16.ts'

/** Number of bytes that determine the format of a file. */
export const headLength = 1024

/**
 * The type of a file according to its first bytes; `text` has no signature, and an archive is only known by its
 * entries.
 */
type Signature = 'pdf' | 'zip' | 'kindle' | 'rtf' | 'fb2' | 'html' | 'mhtml' | 'text' | 'binary'

/** Accepted contents for any document file name: a document with a wrong extension is not refused. */
const documents: ReadonlySet<Signature> = new Set(['zip', 'kindle', 'rtf', 'fb2', 'html', 'mhtml'])
const texts: ReadonlySet<Signature> = new Set([...documents, 'text'])

/** True if a file that begins with `head` can have this format, or one that is accepted in its place. */
export function matchesFormat(head: Uint8Array, format: FileFormat): boolean {
  switch (format) {
    case 'pdf':
      return latin1(head).includes('%PDF-')
    case 'epub':
      return signatureOf(head) === 'zip'
    case 'markdown':
      return isText(head)
    case 'text':
    case 'html':
      return texts.has(signatureOf(head))
    case 'fb2':
    case 'docx':
    case 'odt':
    case 'rtf':
    case 'mobi':
    case 'azw3':
    case 'cbz':
      return documents.has(signatureOf(head))
  }
}

/** The signature at the start of a file. */
export function signatureOf(bytes: Uint8Array): Signature {
  const raw = latin1(bytes.subarray(0, headLength))
  if (raw.startsWith('PK\u0003\u0004')) return 'zip'
  if (raw.slice(60, 68) === 'BOOKMOBI') return 'kindle'
  if (/^(?:\u00ef\u00bb\u00bf)?\s*\{\\rtf/.test(raw)) return 'rtf'
  if (raw.includes('%PDF-')) return 'pdf'
  const start = textStart(bytes)
  if (/<fictionbook[\s>]/i.test(start)) return 'fb2'
  if (/^(?:<\?xml[^>]*>|<!--[^]*?-->|\s)*<(?:!doctype\s+html|html|head|body|article|main|meta|title)[\s>]/i.test(start))
    return 'html'
  if (isWebArchive(start)) return 'mhtml'
  return isText(bytes.subarray(0, headLength)) ? 'text' : 'binary'
}

/** True for the headers of a page that a browser saved as one file (MHTML, RFC 2557). Its address and title can be long. */
function isWebArchive(start: string): boolean {
  if (/^from: <?saved by /i.test(start)) return true
  return (
    /^[\w-]+:/.test(start) && /^mime-version:/im.test(start) && /^content-type:\s*multipart\/related\b/im.test(start)
  )
}

/** The first characters of a text file. */
function textStart(bytes: Uint8Array): string {
  return new TextDecoder(utf16Of(bytes) ?? 'utf-8').decode(bytes.subarray(0, headLength)).trimStart()
}

/** UTF-16 is text although it contains zero bytes. */
function isText(head: Uint8Array): boolean {
  return !head.includes(0) || utf16Of(head) !== null
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
