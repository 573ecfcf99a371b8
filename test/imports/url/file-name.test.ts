import { expect, test } from 'vitest'
import { smallBooks } from '../../support/small-books.ts'
import { nameOfFile } from '../../../src/imports/url/file-name.ts'

test.for<[path: string, disposition: string | undefined, contentType: string | undefined, name: string]>([
  ['/books/tides.pdf?x=1', undefined, undefined, 'tides.pdf'],
  ['/books/M%C3%B6wen%20%26%20Wale.epub', undefined, undefined, 'Möwen & Wale.epub'],
  ['/pdf/1706.03762', undefined, 'application/pdf', '1706.03762.pdf'],
  ['/download.php', undefined, 'application/epub+zip; charset=binary', 'download.php.epub'],
  ['/', undefined, 'text/html; charset=utf-8', 'example.com.html'],
  ['/get', 'attachment; filename="a \\"b\\".pdf"', undefined, 'a "b".pdf'],
  ['/get', 'attachment; filename=plain.md', undefined, 'plain.md'],
  ['/get', `attachment; filename="x.pdf"; filename*=UTF-8''%C3%89t%C3%A9.pdf`, undefined, 'Été.pdf'],
  ['/get', `attachment; filename="${Buffer.from('Été.pdf').toString('latin1')}"`, undefined, 'Été.pdf'],
  ['/get', 'attachment; filename="Été.pdf"', undefined, 'Été.pdf'],
  ['/get', 'attachment; filename="../../etc/passwd.txt"', undefined, 'passwd.txt'],
  ['/get', 'attachment; filename="C:\\\\books\\\\x.pdf"', undefined, 'x.pdf'],
  ['/%ff.pdf', undefined, undefined, '%ff.pdf'],
  ['/get', 'attachment; filename=tales of the sea.pdf; size=12', undefined, 'tales of the sea.pdf'],
  ['/get', 'filename="untyped.pdf"', undefined, 'untyped.pdf'],
  ['/tides.pdf', 'inline; filename=""', undefined, 'tides.pdf'],
  [`/${'a'.repeat(300)}.fb2.zip`, undefined, undefined, `${'a'.repeat(192)}.fb2.zip`],
  ['/archive.zip', undefined, 'application/zip', 'archive.zip'],
])('%s with %s of type %s is named %s', ([path, disposition, contentType, name]) => {
  const head = Buffer.from('words')
  expect(nameOfFile({ url: new URL(path, 'https://example.com'), disposition, contentType, head })).toBe(name)
})

test.for<[name: string, head: Uint8Array, ending: string]>([
  ['a PDF', Buffer.from('%PDF-1.7\n'), '.pdf'],
  ['an EPUB', (await smallBooks.epub()).subarray(0, 1024), '.epub'],
  ['an RTF file', Buffer.from('{\\rtf1 words}'), '.rtf'],
  ['a web page', Buffer.from('<!doctype html><p>words'), '.html'],
  ['text', Buffer.from('words'), ''],
  ['another archive', Buffer.from('PK\u0003\u0004'), ''],
])('the name of %s of an unknown type gets the ending of its content', ([, head, ending]) => {
  const contentType = 'application/octet-stream'
  const file = { url: new URL('https://example.com/download'), disposition: undefined, contentType, head }
  expect(nameOfFile(file)).toBe(`download${ending}`)
})
