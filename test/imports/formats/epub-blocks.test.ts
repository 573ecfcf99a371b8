import { describe, expect, test } from 'vitest'
import { maxBlockLength, newBlock, renderBlock, type Block } from '../../../src/imports/formats/epub/blocks.ts'

const blocks: [name: string, block: Block][] = [
  ['a paragraph', newBlock('text', 'Words.')],
  [
    'an item of an inner list',
    { ...newBlock('text', 'One\ntwo'), firstLinePrefix: '      - ', linePrefix: '        ' },
  ],
  ['a quotation with blank lines', { ...newBlock('text', 'One\n\ntwo'), firstLinePrefix: '> ', linePrefix: '> ' }],
  [
    'code in a list',
    { ...newBlock('fence', 'a\nb\nc'), head: '```js', tail: '```', firstLinePrefix: '- ', linePrefix: '  ' },
  ],
  ['a marker alone', { ...newBlock('text', ''), firstLinePrefix: '1234567890. ' }],
]

describe('the estimate of its length is never below the length of', () => {
  test.for(blocks)('%s', ([, block]) => {
    const blankLine = 2
    expect(maxBlockLength(block)).toBeGreaterThanOrEqual(renderBlock(block).length + blankLine)
  })
})
