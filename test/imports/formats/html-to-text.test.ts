import { expect, test } from 'vitest'
import { htmlToText } from '../../../src/imports/formats/html-to-text.ts'

test.for([
  ['blocks are lines', '<p>One <b>two</b></p><div>three<br>four</div>', 'One two\nthree\nfour'],
  ['entities are decoded', 'a &lt; b &eacute;', 'a < b é'],
  ['spaces are collapsed, line breaks stay', ' a  b\n\n c', 'a b\nc'],
  ['text is cut', 'abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnopqrst'],
  ['nothing is null', '<p> </p>', null],
  ['text ends at elements nested too deeply', `<p>a</p>${'<b>'.repeat(1_000_000)}c`, 'a'],
] as const)('%s', ([, markup, text]) => {
  expect(htmlToText(markup, 20)).toBe(text)
})
