import { describe, expect, test } from 'vitest'
import { looksLikeFileName, titleFromFilename } from '../../src/imports/title-from-filename.ts'

describe('a title', () => {
  test.for([
    'report.pdf',
    'Final draft.DOC',
    'Microsoft Word - thesis_final.doc',
    'my_book',
    'Long_Name_With_Underscores',
    'developers-reference',
    'the.c.programming.language',
    'The-Art-Of-War-2nd',
    '9780131103627',
    '0131103628',
    '2301.12345v2',
    'd41d8cd98f00b204e9800998ecf8427e',
    '20240131',
    '/home/me/book',
    'C:\\Users\\me\\book',
    'file:///tmp/book',
    'untitled',
    'Untitled 2',
    'Document1',
    'scan0001',
    'IMG_2043',
    'PowerPoint Presentation',
    ' spaced.epub ',
  ])('%j looks like a file name', (title) => {
    expect(looksLikeFileName(title)).toBe(true)
  })

  test.for([
    'The C Programming Language',
    'Ulysses',
    'ulysses',
    '1984',
    '2001: A Space Odyssey',
    'Catch-22',
    'Self-Reliance',
    'TCP/IP Illustrated, Vol. 1',
    'Node.js Design Patterns',
    'U.S.A.',
    'C++',
    'Document Engineering',
    'The Image',
    'Unknown Soldiers',
    '三体',
    'Война и мир',
    'Debian Reference, 2nd edition - The system',
    '',
  ])('%j does not', (title) => {
    expect(looksLikeFileName(title)).toBe(false)
  })
})

test.for([
  ['my_first-book.pdf', 'my first book'],
  ['The Great Gatsby.EPUB', 'The Great Gatsby'],
  ['Catch-22 by Joseph Heller.pdf', 'Catch-22 by Joseph Heller'],
  ['notes.markdown', 'notes'],
  ['notes.md', 'notes'],
  ['v1.2-release_notes.md', 'v1.2 release notes'],
  ['/srv/books/one.pdf', 'one'],
  ['C:\\books\\one.pdf', 'one'],
  ['Cafe\u0301.pdf', 'Caf\u00e9'],
  ['  spaced   out .pdf', 'spaced out'],
  ['a\u0000b\u202egnp.pdf', 'abgnp'],
  ['book.pdf.pdf', 'book.pdf'],
  ['.pdf', 'Untitled'],
  ['___.pdf', 'Untitled'],
  ['\u200b\u202e.epub', 'Untitled'],
  ['', 'Untitled'],
  [`${'long '.repeat(100)}.pdf`, 'long '.repeat(40).trim()],
  ['日本語の本.epub', '日本語の本'],
])('the file %j is titled %j', ([filename = '', title]) => {
  expect(titleFromFilename(filename)).toBe(title)
})
