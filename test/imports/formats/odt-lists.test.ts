import { expect, test } from 'vitest'
import { odtOf } from '../../support/documents.ts'
import { readDocument } from '../../support/read-document.ts'

const numbers = (name: string, ...levels: string[]) =>
  `<text:list-style style:name="${name}">${levels
    .map(
      (format, at) =>
        `<text:list-level-style-number text:level="${at + 1}" style:num-format="${format}" style:num-suffix="."/>`,
    )
    .join('')}</text:list-style>`
const bullets = (name: string, sign: string) =>
  `<text:list-style style:name="${name}"><text:list-level-style-bullet text:level="1" text:bullet-char="${sign}"/></text:list-style>`
const automatic = numbers('N', '1', '1') + numbers('A', 'a', 'a') + bullets('B', '•') + bullets('C', ' ')

const list = (attributes: string, ...items: string[]) => `<text:list ${attributes}>${items.join('')}</text:list>`
const item = (content: string, attributes = '') => `<text:list-item ${attributes}>${content}</text:list-item>`
const p = (text: string) => `<text:p>${text}</text:p>`

async function read(body: string) {
  return readDocument(await odtOf({ body, automatic }), 'odt')
}

test.for([
  [
    'a list that continues the one before it, as LibreOffice writes it',
    list('text:style-name="N"', item(p('one')), item(p('two'))) +
      p('Between.') +
      list('text:style-name="N" text:continue-numbering="true"', item(p('three'))),
    '1. one\n2. two\n\nBetween.\n\n3. three',
  ],
  [
    'a list that continues an earlier one',
    list('xml:id="l1" text:style-name="N"', item(p('one'))) +
      list('text:style-name="B"', item(p('sign'))) +
      list('text:style-name="N" text:continue-list="l1"', item(p('two'))),
    '1. one\n\n- sign\n\n2. two',
  ],
  [
    'an inner list as an element of its own',
    list('xml:id="l1" text:style-name="N"', item(p('one'))) +
      list('text:style-name="A"', item(list('', item(p('deep')), item(p('deeper'))))) +
      list('text:style-name="N" text:continue-list="l1"', item(p('two'))),
    '1. one\n   - a. deep\n   - b. deeper\n2. two',
  ],
  [
    'one element per item, as Word writes it',
    list('text:style-name="N" text:continue-numbering="true"', item(p('one'))) +
      list('text:style-name="N" text:continue-numbering="true"', item(list('', item(p('deep'))))) +
      list('text:style-name="N" text:continue-numbering="true"', item(list('', item(p('deeper'))))) +
      list('text:style-name="N" text:continue-numbering="true"', item(p('two'))),
    '1. one\n   1. deep\n   2. deeper\n2. two',
  ],
  [
    'inner lists that begin again',
    list(
      'text:style-name="N"',
      item(p('one') + list('', item(p('a'))) + p('so') + list('', item(p('b')))),
      item(p('two')),
    ),
    '1. one\n   1. a\n\n   so\n   1. b\n2. two',
  ],
  [
    'another list',
    list('text:style-name="N"', item(p('one'))) + list('text:style-name="N"', item(p('first'))),
    '1. one\n\n1. first',
  ],
  [
    'an item with its own number',
    list('text:style-name="N"', item(p('four'), 'text:start-value="4"'), item(p('five'))),
    '4. four\n5. five',
  ],
  [
    'paragraphs of an item that have a blank bullet',
    list('text:style-name="B"', item(p('one'))) + list('text:style-name="C"', item(p('goes on'))),
    '- one\n\n  goes on',
  ],
  [
    'a paragraph of an item, a table and a list in it',
    list(
      'text:style-name="N"',
      item(
        p('one') +
          `<table:table><table:table-row><table:table-cell>${p('x')}${list('text:style-name="B"', item(p('y')))}</table:table-cell><table:table-cell>${p('z')}</table:table-cell></table:table-row></table:table>`,
      ),
      item(p('two')),
    ),
    '1. one\n\n   |  |  |\n   | --- | --- |\n   | x<br>- y | z |\n\n2. two',
  ],
] as const)('keeps the structure and the numbers of %s', async ([, body, markdown]) => {
  expect((await read(body)).text).toBe(markdown)
})

test('a heading in a list is a heading', async () => {
  const heading = '<text:h text:outline-level="2">Tides</text:h>'
  const { text, toc } = await read(list('text:style-name="N"', item(list('', item(heading)))) + p('Low.'))
  expect(text).toBe('## Tides\n\nLow.')
  expect(toc).toEqual([{ title: 'Tides', level: 2, page: 1 }])
})

test('the footnotes of items are on their page', async () => {
  const note =
    '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Note.</text:p></text:note-body></text:note>'
  const body =
    list('text:style-name="B"', item(p(`one${note}`))) + list('text:style-name="B"', item(p('two'))) + p('End.')
  expect((await read(body)).text).toBe('- one[^1]\n\n- two\n\nEnd.\n\n[^1]: Note.')
})

test.for(['Quotations', 'Quote', 'Intense_20_Quote', 'Block_20_Text'])(
  'a paragraph in the style %s is a quotation',
  async (style) => {
    expect((await read(`<text:p text:style-name="${style}">Said he.</text:p>`)).text).toBe('> Said he.')
  },
)
