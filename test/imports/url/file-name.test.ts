import { expect, test } from 'vitest'
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
  ['/get', 'attachment; filename="../../etc/passwd.txt"', undefined, 'passwd.txt'],
  ['/get', 'attachment; filename="C:\\\\books\\\\x.pdf"', undefined, 'x.pdf'],
  ['/%ff.pdf', undefined, undefined, '%ff.pdf'],
  ['/archive.zip', undefined, 'application/zip', 'archive.zip'],
])('%s with %s of type %s is named %s', ([path, disposition, contentType, name]) => {
  expect(nameOfFile({ url: new URL(path, 'https://example.com'), disposition, contentType })).toBe(name)
})
