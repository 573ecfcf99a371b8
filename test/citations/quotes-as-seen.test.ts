import { describe, expect, test } from 'vitest'
import { findQuote, prepareQuote } from '../../src/citations/find-quote.ts'
import { prepareText } from '../../src/citations/searchable-text.ts'

const find = (raw: string, quote: string) => findQuote(prepareText(raw), prepareQuote(quote))
const foundText = (raw: string, quote: string) => {
  const match = find(raw, quote)
  return match && raw.slice(match.start, match.end)
}

const listing = '```\n 9  int main() {\n10    return 0;\n\n11  }\n```'
const contents = '- Tides … 12\n- Currents … 31'

describe('a sentence copied as it is seen on the page', () => {
  test.for<[what: string, page: string, quote: string, found: string]>([
    ['with other spaces in a formula', 'Let $f( x_i ) = g(x) + 1$ hold.', 'f(x_i )= g( x ) +1', 'f( x_i ) = g(x) + 1'],
    [
      'without the delimiters of a formula',
      'Here $a = b$ holds and $$c = d$$ too.',
      'Here a = b holds and c = d too',
      'Here $a = b$ holds and $$c = d$$ too',
    ],
    ['with the letters of mathematics', 'with 𝑥 ∈ 𝑆', 'with x ∈ S', 'with 𝑥 ∈ 𝑆'],
    ['without the bullets of a list', '- one thing\n- another', 'one thing\n• another', 'one thing\n- another'],
    ['with the bullets of a list in one line', '- one thing\n- another', 'one thing • another', 'one thing\n- another'],
    [
      'with the bullet of a link',
      'see the [▸ tides](page:3) there',
      'see the ▸ tides there',
      'see the [▸ tides](page:3) there',
    ],
    [
      'with a line that begins with an operator',
      'We set it to `depth` + `top` = 5.',
      'We set it to depth\n+ top = 5.',
      'We set it to `depth` + `top` = 5.',
    ],
    ['with a line that begins with a dash', '**Tides** — They turn.', 'Tides\n— They turn.', 'Tides** — They turn.'],
    [
      'with dots on two lines',
      'The tide . . . . . . turns',
      'The tide . . .\n. . . turns',
      'The tide . . . . . . turns',
    ],
    [
      'with dashes for bullets',
      'We bring:\n\n- one thing;\n- another',
      'We bring: – one thing; – another',
      'We bring:\n\n- one thing;\n- another',
    ],
    ['without the numbers of a listing', listing, 'int main() { return 0; }', 'int main() {\n10    return 0;\n\n11  }'],
    ['with the numbers of a listing', listing, '9 int main() {\n10 return 0;', '9  int main() {\n10    return 0;'],
    ['without a note reference', 'the tide[^12] turns', 'the tide turns', 'the tide[^12] turns'],
    ['with a note reference', 'the tide[^12] turns', 'the tide12 turns', 'the tide[^12] turns'],
    [
      'without a note reference that is a link',
      'the tide[^12](page:7) turns',
      'the tide turns',
      'the tide[^12](page:7) turns',
    ],
    ['of a note, without its number', 'Text.[^3]\n\n[^3]: See the map.', 'See the map.', 'See the map.'],
    ['with the dots of a table of contents', contents, 'Tides . . . . . . . . . 12', 'Tides … 12'],
    [
      'with an escaped pipe of a table cell',
      '| kind | sign |\n| --- | --- |\n| union | a \\| b |',
      'union a | b',
      'union | a \\| b',
    ],
    ['with a pipe of a cell without spaces', '| kind | a\\|b |', 'kind a|b', 'kind | a\\|b'],
    ['with an escaped pipe as it is stored', '| union | a \\| b |', 'union | a \\| b', 'union | a \\| b'],
    [
      'with pipes of code in a table cell',
      '| shell | `cat x \\| sort` |',
      'shell cat x | sort',
      'shell | `cat x \\| sort',
    ],
    [
      'without the brackets of an address',
      'see <https://a-b.org/x_y> there',
      'see https://a-b.org/x_y there',
      'see <https://a-b.org/x_y> there',
    ],
    [
      'without the target of a link',
      'see [the map](page:12) there',
      'see the map there',
      'see [the map](page:12) there',
    ],
    [
      'across the cells of a table',
      '| sea | deep |\n| --- | --- |\n| lake | flat |',
      'sea deep lake flat',
      'sea | deep |\n| --- | --- |\n| lake | flat',
    ],
    ['with a backslash before code', 'the macro \\\\`foo`, then', 'the macro \\foo, then', 'the macro \\\\`foo`, then'],
    [
      'in Chinese, with spaces around numbers',
      '有教职工4500人，校园',
      '有教职工 4500 人， 校园',
      '有教职工4500人，校园',
    ],
    ['in Chinese, with radicals for characters', '⼭东⼤学', '山东大学', '⼭东⼤学'],
    [
      'with characters in inline code',
      'If `*` or `\\` is present',
      'If * or \\ is present',
      'If `*` or `\\` is present',
    ],
    [
      'with backslashes in inline code',
      'the `\\\\` and `\\\\*` commands',
      'the \\\\ and \\\\* commands',
      'the `\\\\` and `\\\\*` commands',
    ],
    ['with a power beside its base', 'an N^2 process', 'an N 2 process', 'an N^2 process'],
    ['with the number of a note before it', 'Text.[^1]\n\n[^1]: See it.', '1 See it.', '[^1]: See it.'],
    ['with a middle dot for a bullet', 'Notes:\n\n- one thing', 'Notes:\n· one thing', 'Notes:\n\n- one thing'],
    ['with a space before a hyphen', 'the KOMA-Script class', 'the KOMA -Script class', 'the KOMA-Script class'],
    ['without a space before a hyphen', 'the KOMA -Script class', 'KOMA-Script class', 'KOMA -Script class'],
    ['that begins after a hyphen with a space', 'the KOMA -Script class', 'Script class', 'Script class'],
    ['without a hyphen at the end of a line', 'up- and downwards', 'upand downwards', 'up- and downwards'],
    ['with two spaces beside a hyphen', 'the KOMA-Script class', 'the KOMA - Script class', 'the KOMA-Script class'],
    ['with a formula in inline code', 'typeset `$a + b$` here', 'typeset $a + b$ here', 'typeset `$a + b$` here'],
    ['with dollar signs in inline code', 'the `$` sign and `$$` too', 'the $ sign and', 'the `$` sign and'],
    ['with a dash without spaces', 'the sea — wide and deep', 'the sea—wide', 'the sea — wide'],
  ])('is found %s', ([, page, quote, found]) => {
    expect(foundText(page, quote)).toBe(found)
  })

  test.for<[what: string, page: string, quote: string]>([
    ['another number in a formula', 'Let $f(x) = 12$ hold.', 'f(x) = 1'],
    ['a power for a number', 'about $10^3$ of them', 'about 103 of them'],
    ['a point instead of a full stop between two numbers', 'in part 5. 2 of them are', 'in part 5.2 of them'],
    ['a comma between two numbers', 'of 1, 200 are red', 'of 1,200 are red'],
    ['a negation of the page left out', 'It does *not* hold.', 'It does hold.'],
    ['a negation that the page does not have', 'It does hold.[^1]', 'It does not hold.'],
    ['another order of words', 'the tide[^1] turns slowly', 'slowly turns the tide'],
    ['the number of another note', 'the tide[^12] turns', 'the tide1 turns'],
    ['the number of another line', listing, '9 int main() { 11 return 0;'],
    ['numbers left out that are not line numbers', '```\n20  apples\n 7  pears\n```', 'apples pears'],
    ['a number in a listing with words', listing, 'return 1;'],
    ['an amount of money without its sign', 'costs $5 and more', 'costs 5 and more'],
    ['a dash inside a clause', 'the value x - yy falls', 'the value x yy falls'],
    ['two words for two words with a dash', 'the rivers - and lakes', 'the rivers and lakes'],
    ['a hyphen beside one letter', 'the value x -yy falls', 'the value xyy falls'],
    ['a word and a half for two words', 'the KOMA Script class', 'the KOMAScript class'],
    ['a minus', 'it falls, - 5 degrees', 'it falls, 5 degrees'],
    ['half of a name with an underscore', 'call foo_bar now', 'call foo bar now'],
    ['a name for a power', 'an N^2 process', 'an N2 process'],
    ['two numbers for their product', 'about 2 * 3 of them', 'about 2 3 of them'],
    ['two names for their product', 'the value a * b falls', 'the value a b falls'],
    ['another command', 'use `\\foo` or `\\bar` here', 'use \\foo or \\baz here'],
    ['the number of another note before it', 'Text.[^1]\n\n[^1]: See it.', '2 See it.'],
    ['only punctuation that the page does not have', 'Use `+` here', '\\ * \\'],
    ['two words for one', 'the notable one', 'the not able one'],
    ['the target of a link', 'see [the map](https://sea.org/page) there', 'https://sea.org/page'],
    ['the page of a link', 'see [the map](page:12) there', 'the map 12'],
  ])('is not found with %s', ([, page, quote]) => {
    expect(find(page, quote)).toBeNull()
  })

  test('is located in the page, also after text that the quotation omits', () => {
    const page = 'A ( b ) c[^1] d\n\n```\n1  e = f\n2  g = h\n```'
    expect(foundText(page, '(b) c d')).toBe('( b ) c[^1] d')
    expect(foundText(page, 'e=f g = h')).toBe('e = f\n2  g = h')
  })

  describe('a sentence that is interrupted on the page', () => {
    const quote = 'The river rises in the hills and ends in the sea.'

    test.for([
      ['a note', '[^1]: See the map.'],
      ['two notes', '[^1]: See the map.\n\n[^2]: Or another.'],
      ['a note with a sign', '∗ Corresponding author'],
      ['a figure and its caption', '![The hills](figure:ab12)\n\n**Figure 3:** The hills.'],
      ['a table', 'Table 2. Rivers\n\n| Name | Length |\n| --- | --- |\n| Elbe | 1094 |'],
      ['the number of a page', '- 12 -'],
    ] as const)('is found around %s', ([, between]) => {
      const page = `Before it. The river rises in the hills\n\n${between}\n\nand ends in the sea. After it.`
      expect(foundText(page, quote)).toBe(`The river rises in the hills\n\n${between}\n\nand ends in the sea.`)
      expect(foundText(page.replace('hills\n', 'hil-\n').replace('\n\nand', '\n\nls and'), quote)).not.toBeNull()
      expect(find(page, quote.replace('sea', 'lake'))).toBeNull()
    })

    test('is not found across text that is no interruption', () => {
      for (const between of ['It is long.', '## Rivers', '- It is long', '```\nls\n```'])
        expect(find(`The river rises in the hills\n\n${between}\n\nand ends in the sea.`, quote)).toBeNull()
    })

    test('does not continue after a full stop', () => {
      expect(find('It rises in the hills.\n\n[^1]: See the map.\n\nand ends there.', 'hills. and ends')).toBeNull()
    })

    test('the interruption is found too', () => {
      const page = 'The river rises in the\n\n[^1]: See the map.\n\nhills.'
      expect(foundText(page, 'See the map.')).toBe('See the map.')
    })
  })

  // Anything slower than linear time would exceed the timeout of the test.
  test.for<[string, string]>([
    ['dollars', '$'],
    ['formulas', '$a$'],
    ['open formulas', '$a '],
    ['addresses', '<http://a>'],
    ['open addresses', '<http:'],
    ['leaders', '. '],
    ['notes', '[^1]'],
    ['numbered lines', '1  a\n'],
    ['fences', '```\n1  a\n'],
    ['interruptions', 'a\n\n[^1]: b\n\n'],
    ['bullets', ' •'],
    ['backslashes', '\\'],
    ['separate asterisks', ' * a'],
    ['powers', 'a^2 \\ '],
  ])('takes linear time against a page of only %s', ([, unit]) => {
    const page = unit.repeat(Math.floor(300_000 / unit.length))
    expect(find(page, 'a quotation that is not there')).toBeNull()
  })
})
