import { expect, test } from 'vitest'
import { contentDisposition } from '../../src/transport/content-disposition.ts'

test.for([
  ['A Book.pdf', 'attachment; filename="A Book.pdf"'],
  ['Élan vital.epub', `attachment; filename="Elan vital.epub"; filename*=UTF-8''%C3%89lan%20vital.epub`],
  ['本.md', `attachment; filename="_.md"; filename*=UTF-8''%E6%9C%AC.md`],
  ['../../etc/passwd', 'attachment; filename="etc passwd"'],
  ['a"; filename=b.exe\r\nX-Evil: 1.pdf', 'attachment; filename="a ; filename=b.exe X-Evil 1.pdf"'],
  ['gpj.\u202efdp.pdf', 'attachment; filename="gpj. fdp.pdf"'],
  ["it's (new)*.md", 'attachment; filename="it\'s (new).md"'],
  ['100%25.md', 'attachment; filename="100 25.md"'],
  ['   ', 'attachment; filename="book"'],
  ['.htaccess', 'attachment; filename="htaccess"'],
  ['a\ud800b.md', 'attachment; filename="a b.md"'],
])('%s is offered as %s', ([name, header]) => {
  expect(contentDisposition(name as string)).toBe(header)
})

test('a long name is truncated before its extension', () => {
  const header = contentDisposition(`${'x'.repeat(500)}.epub`)
  expect(header).toBe(`attachment; filename="${'x'.repeat(145)}.epub"`)
})
