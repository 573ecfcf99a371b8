import { expect, test } from 'vitest'
import { odtOf } from '../../support/documents.ts'
import { readDocument } from '../../support/read-document.ts'

const level = (at: number, attributes: string) => `<text:outline-level-style text:level="${at}" ${attributes}/>`
const chapters =
  level(1, 'style:num-format="1" style:num-suffix="."') +
  level(2, 'style:num-format="1" text:display-levels="2"') +
  level(3, 'style:num-format="a" style:num-prefix="(" style:num-suffix=")"') +
  level(4, 'style:num-format=""')
const styles =
  '<style:style style:name="Plain" style:family="paragraph" style:list-style-name=""/>' +
  '<style:style style:name="Own" style:family="paragraph" style:parent-style-name="Plain"/>' +
  '<style:style style:name="Heading" style:family="paragraph" style:list-style-name="Outline"/>'

const heading = (at: number, attributes = '') => `<text:h text:outline-level="${at}" ${attributes}>Tides</text:h>`

async function readHeadings(outline: string, ...headings: string[]) {
  const named = `${styles}<text:outline-style style:name="Outline">${outline}</text:outline-style>`
  const { text, toc } = await readDocument(await odtOf({ body: headings.join(''), styles: named }), 'odt')
  return { lines: text.split('\n\n').map((line) => line.replace(/^#+ /, '')), titles: toc.map(({ title }) => title) }
}

test.for([
  [
    'on several levels',
    [heading(1), heading(2), heading(2), heading(3), heading(1), heading(2)],
    ['1. Tides', '1.1 Tides', '1.2 Tides', '(a) Tides', '2. Tides', '2.1 Tides'],
  ],
  ['without a number format', [heading(1), heading(4)], ['1. Tides', 'Tides']],
  [
    'with a number of their own',
    [heading(1, 'text:restart-numbering="true" text:start-value="7"'), heading(1)],
    ['7. Tides', '8. Tides'],
  ],
  ['that are excluded', [heading(1, 'text:is-list-header="true"'), heading(1)], ['Tides', '1. Tides']],
  [
    'in styles with and without the list of headings',
    [heading(1, 'text:style-name="Own"'), heading(1, 'text:style-name="Heading"')],
    ['Tides', '1. Tides'],
  ],
] as const)('headings %s have the numbers of the chapter numbering', async ([, headings, expected]) => {
  const { lines, titles } = await readHeadings(chapters, ...headings)
  expect(lines).toEqual(expected)
  expect(titles).toEqual(expected)
})

test('a label may have words, as LibreOffice writes it', async () => {
  const outline = level(1, 'style:num-format="I" loext:num-list-format="Chapter %1%:"')
  expect((await readHeadings(outline, heading(1), heading(1))).lines).toEqual(['Chapter I: Tides', 'Chapter II: Tides'])
})
