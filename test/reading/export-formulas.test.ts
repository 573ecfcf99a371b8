import { XMLValidator } from 'fast-xml-parser'
import { array, assert, constantFrom, property } from 'fast-check'
import JSZip from 'jszip'
import { expect, test } from 'vitest'
import { openEpub } from '../../src/imports/formats/epub/open-epub.ts'
import { defaultLimits } from '../../src/imports/formats/format.ts'
import { createPartRenderer } from '../../src/reading/export/render-xhtml.ts'
import { useFormulas } from '../../src/text/markdown/use-formulas.ts'
import { buildEpub } from '../support/epub.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()

/** EPUB 3.3, section D.5.3: the package document says which files contain MathML. */
const declared = 'href="text-00001.xhtml" media-type="application/xhtml+xml" properties="mathml"'

test('formulas of a Markdown book are MathML, which an import reads as the same formulas', async () => {
  const person = await server.createPerson()
  const content =
    '# Waves\n\nThe $\\frac{a^2}{2}$ of a wave, $5 or less.\n\n$$\n\\sum_{i=1}^n x_i < \\sqrt{2}\n$$\n\nNot one: $\\nosuch{$.\n'
  const { bytes, text, description } = await exportOf(person, await makeBook(server, person, { content }))
  expect(XMLValidator.validate(text)).toBe(true)
  expect(text).toContain('<mfrac><msup><mi>a</mi><mn>2</mn></msup><mn>2</mn></mfrac>')
  expect(text).toMatch(/<math xmlns="http:\/\/www.w3.org\/1998\/Math\/MathML" display="block">/)
  expect(text).toContain('of a wave, $5 or less.')
  expect(text).toContain('<p>Not one: <code>$\\nosuch{$</code>.</p>')
  expect(description).toContain(declared)
  expect(await readAgain(bytes)).toBe(
    '# Waves\n\nThe $\\frac{a^2}{2}$ of a wave, \\$5 or less.\n\n$$\n\\sum_{i=1}^n x_i < \\sqrt{2}\n$$\n\nNot one: `$\\nosuch{$`.',
  )
})

test('formulas of an imported EPUB are MathML again; dollar signs of one without formulas stay', async () => {
  const person = await server.createPerson()
  const formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math>'
  const add = async (filename: string, body: string) =>
    (await importFile(server, person, { filename, bytes: await buildEpub({ chapters: { 'a.xhtml': body } }) })).itemId
  const withFormula = await exportOf(person, await add('a.epub', `<p>It is ${formula}.</p>`))
  expect(withFormula.text).toContain('<msup><mi>x</mi><mn>2</mn></msup>')
  expect(withFormula.description).toContain(declared)
  const without = await exportOf(person, await add('b.epub', '<p>From $5 to $6.</p>'))
  expect(without.text).toContain('From $5 to $6.')
  expect(without.description).not.toContain('mathml')
})

test('the text is well-formed, whatever a formula contains', () => {
  const render = createPartRenderer((parser) => useFormulas(parser, (formula) => `<div>${formula}</div>\n`))
  const marks =
    '$ $ $ $$ $$ \\frac { } ^ _ & \\\\ < > " \' \\text{ \\text{</math><script>} \\href{javascript:a}{b} \\color{red} \\begin{matrix} \\end{matrix} \\left( \\right) \\sqrt \\& %'
  const pieces = constantFrom(...marks.split(' '), ' ', '\n', 'a', '1', '\u0001', '\ud800', 'é', '𝑥')
  assert(
    property(array(pieces, { maxLength: 30 }), (parts) => {
      const body = render({ text: `$${parts.join('')}$`, id: 'p1-0', math: true })
      expect(XMLValidator.validate(`<body xmlns:epub="x">${body}</body>`)).toBe(true)
      expect(body).not.toMatch(/<(script|a|img)\b/)
    }),
    { numRuns: 500 },
  )
})

async function exportOf(person: Person, id: string) {
  const response = await fetch(`${server.baseUrl}/api/v1/items/${id}/export?format=epub`, {
    headers: { Authorization: `Bearer ${person.key}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const zip = await JSZip.loadAsync(bytes)
  const read = async (name: string) => (await zip.file(`EPUB/${name}`)?.async('text')) ?? ''
  return { bytes, text: await read('text-00001.xhtml'), description: await read('book.opf') }
}

async function readAgain(bytes: Uint8Array): Promise<string> {
  const book = await openEpub(bytes, defaultLimits)
  const pages: string[] = []
  for await (const { content } of book.pages()) pages.push(content)
  return pages.join('\n')
}
