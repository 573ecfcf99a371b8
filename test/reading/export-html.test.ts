import { XMLValidator } from 'fast-xml-parser'
import { array, assert, boolean, constantFrom, oneof, property } from 'fast-check'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { renderPart } from '../../src/reading/export/render-xhtml.ts'
import { anyText } from '../support/any-text.ts'
import { makeBook } from '../support/make-book.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()

const xhtmlOf = (text: string, html: boolean) => renderPart({ text, id: 'p1-0', html }).trim()

describe('HTML in an exported EPUB', () => {
  test('is markup in a Markdown book', async () => {
    const person = await server.createPerson()
    const content =
      '# Tides\n\n<p align="center">All <b>harbours</b><br>of the coast</p>\n\n<!-- hidden -->\n\nUse List<String>, H<sub>2</sub>O and <a href="https://a.example/?b&c">this</a>.\n'
    const id = await makeBook(server, person, { title: 'Tides', content })
    const response = await fetch(`${server.baseUrl}/api/v1/items/${id}/export?format=epub`, {
      headers: { Authorization: `Bearer ${person.key}` },
    })
    const zip = await JSZip.loadAsync(await response.arrayBuffer())
    const text = (await zip.file('EPUB/text-00001.xhtml')?.async('text')) ?? ''
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text).toContain('<p dir="auto" class="align-center">All <strong>harbours</strong><br/>of the coast</p>')
    expect(text).toContain(
      '<p>Use List&lt;String&gt;, H<sub>2</sub>O and <a href="https://a.example/?b&amp;c">this</a>.</p>',
    )
    expect(text).not.toContain('hidden')
  })

  test.for<[source: string, ofImports: string, ofAuthors: string]>([
    ['x<sup>2</sup> <kbd>q</kbd>', '<p>x<sup>2</sup> <kbd>q</kbd></p>', '<p>x<sup>2</sup> <kbd>q</kbd></p>'],
    ['a<br>b', '<p>a<br/>\nb</p>', '<p>a<br/>\nb</p>'],
    ['x<sup>2', '<p>x<sup>2</sup></p>', '<p>x<sup>2</sup></p>'],
    ['x</sup>2', '<p>x2</p>', '<p>x2</p>'],
    ['<b>a</b>', '<p>&lt;b&gt;a&lt;/b&gt;</p>', '<p><strong>a</strong></p>'],
    ['<p>a', '<p>&lt;p&gt;a</p>', '<p dir="auto">a</p>'],
    ['<a href="page:3">a</a>', '<p>&lt;a href="page:3"&gt;a&lt;/a&gt;</p>', '<p>a</p>'],
    ['<a id="x" href="#x">a</a>', '<p>&lt;a id="x" href="#x"&gt;a&lt;/a&gt;</p>', '<p>a</p>'],
  ])('%s is %s in an imported book, and %s in a Markdown book', ([source, ofImports, ofAuthors]) => {
    expect(xhtmlOf(source, false)).toBe(ofImports)
    expect(xhtmlOf(source, true)).toBe(ofAuthors)
  })

  test('is well-formed, whatever a page contains', () => {
    const marks =
      '< > " \' & ` * _ [ ]( ) # > - | $ \\ <b> </b> <p> </p> <a href=" <a> </a> <h1> </h2> <table> <tr> <td> </table> <li> <sup> </sup> <br> <hr> <img alt=" <!-- --> <?x <![CDATA[ ]]> <script> </script> <svg> &amp; &#0; &nbsp; [^a] [^a]: onclick=" /> <x-y>'
    const pieces = constantFrom(...marks.split(' '), ' ', '\n', '\n\n', '    ', 'a', '\u0001', '\ud800')
    const page = array(oneof({ weight: 5, arbitrary: pieces }, { weight: 1, arbitrary: anyText() }), {
      maxLength: 40,
    })
    assert(
      property(page, boolean(), (parts, html) => {
        const body = xhtmlOf(parts.join(''), html)
        expect(XMLValidator.validate(`<body xmlns:epub="x">${body}</body>`)).toBe(true)
        expect(body).not.toMatch(/<(script|svg|img)\b|<[^>]* on\w+=/)
      }),
      { numRuns: 500 },
    )
  })
})
