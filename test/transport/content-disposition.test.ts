import { expect, test } from 'vitest'
import { contentDisposition } from '../../src/transport/content-disposition.ts'

test.for([
  ['A Book.pdf', 'attachment; filename="A Book.pdf"'],
  ['Élan vital.epub', `attachment; filename="Elan vital.epub"; filename*=UTF-8''%C3%89lan%20vital.epub`],
  ['本.md', `attachment; filename="_.md"; filename*=UTF-8''%E6%9C%AC.md`],
  ['../../etc/passwd', 'attachment; filename="etc passwd"'],
  ['a"; filename=b.exe\r\nX-Evil: 1.pdf', 'attachment; filename="a ; filename=b.exe X-Evil 1.pdf"'],
  ['gpj.\u202efdp.pdf', 'attachment; filename="gpj. fdp.pdf"'],
  [
    'x＂; filename=evil.exe; y=＂.pdf',
    `attachment; filename="x ; filename=evil.exe; y=.pdf"; filename*=UTF-8''x%EF%BC%82%3B%20filename%3Devil.exe%3B%20y%3D%EF%BC%82.pdf`,
  ],
  [
    '．．／．．／x.md',
    `attachment; filename="x.md"; filename*=UTF-8''%EF%BC%8E%EF%BC%8E%EF%BC%8F%EF%BC%8E%EF%BC%8E%EF%BC%8Fx.md`,
  ],
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
