import { array, assert, constantFrom, oneof, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { searchWords, stripPage } from '../../src/search/passages/stripped-page.ts'
import { findPassage, readOpening } from '../../src/search/passages/passage.ts'
import { parseQuery } from '../../src/search/query/parse-query.ts'
import { sentencesOf } from '../../src/search/passages/sentences.ts'
import { stripMarkdown, stripMarkdownInSteps, type Block } from '../../src/search/words/strip-markdown.ts'
import { finishSteps } from '../../src/runtime/turns.ts'

/** Returns the passage for a query. By default, all words have the same weight. */
function passage(markdown: string, text: string, weights?: number[]): string | null {
  const query = parseQuery(text)
  const searched = {
    query,
    weights: weights ?? query.concepts.map(() => 1),
    ...searchWords(query),
  }
  return finishSteps(findPassage(finishSteps(stripPage(markdown)), searched))?.snippet ?? null
}
const opening = (markdown: string) => finishSteps(readOpening(markdown))
const filler = 'Something else is told in this sentence. '

describe('a text without full stops', () => {
  test.for([
    ['words', 'whale '.repeat(3000)],
    ['one word', 'w'.repeat(9000)],
    ['characters of two units', '𝒲'.repeat(5000)],
  ] as const)('of %s is divided into pieces that lose nothing', ([, text]) => {
    const pieces = sentencesOf(text, { start: 0, end: text.length })
    expect(pieces.length).toBeGreaterThan(4)
    expect(Math.max(...pieces.map(({ start, end }) => end - start))).toBeLessThanOrEqual(2000)
    const taken = pieces.map(({ start, end }) => text.slice(start, end))
    expect(taken.every((piece) => piece.isWellFormed())).toBe(true)
    expect(taken.join(text.includes(' ') ? ' ' : '')).toBe(text.trim())
  })

  test('has its best piece as the passage', () => {
    const found = passage(`${'whale '.repeat(3000)}narwhal ${'whale '.repeat(3000)}`, 'whale narwhal', [1, 5])
    expect(found).toContain('narwhal')
  })
})

describe('a passage', () => {
  test('is the sentence with most of the words, and the next one if it is short', () => {
    const short = 'The whale met a ship near the southern ice of Norway in the winter.'
    const markdown = `A whale. ${filler.repeat(10)}${short} ${filler.repeat(10)}A ship.`
    expect(passage(markdown, 'ship whale')).toBe(`${short} ${filler.trim()}`)
    const long = `The whale met a ship ${'near the southern ice of Norway '.repeat(5)}in the winter.`
    expect(passage(markdown.replace(short, long), 'ship whale')).toBe(long)
  })

  test('that is short has the sentence before it if the next one does not fit', () => {
    const long = `Nothing of it ${'was known in the towns '.repeat(12)}of the coast.`
    expect(passage(`${filler}The whale met a ship in winter, near the ice of the south. ${long}`, 'ship whale')).toBe(
      `${filler}The whale met a ship in winter, near the ice of the south.`,
    )
    expect(passage(`The whale met a ship in winter, near the ice of the south. ${long}`, 'ship whale')).toBe(
      'The whale met a ship in winter, near the ice of the south.',
    )
  })

  test('is the sentence with the rare word, not with two frequent ones', () => {
    const markdown = `The people of the city were many, and most of the city people stayed there. ${filler.repeat(5)}A narwhal was seen in the harbour that year by everyone who could walk there. ${filler}`
    const found = `A narwhal was seen in the harbour that year by everyone who could walk there. ${filler.trim()}`
    expect(passage(markdown, 'city people narwhal', [0.2, 0.3, 4])).toBe(found)
  })

  test('consists of two sentences if both contain words of the query', () => {
    const markdown = `${filler.repeat(5)}The captain saw a whale beyond the northern islands in spring. Its harpoon was made by a smith of Nantucket, people say. ${filler.repeat(5)}`
    const found = passage(markdown, 'whale harpoon smith captain')
    expect(found).toMatch(/^The captain saw .* people say\./)
  })

  test('is never longer than 300 characters, and has ellipses only where one sentence is too long', () => {
    const long = `A whale ${'and another one of many words '.repeat(30)} ended with a harpoon here.`
    expect(passage(long, 'harpoon')).toMatch(/^… \S.* a harpoon here\.$/)
    expect(passage(long, 'whale')).toMatch(/^A whale .* …$/)
    for (const word of ['whale', 'harpoon', 'another']) expect(passage(long, word)?.length).toBeLessThanOrEqual(300)
    expect(passage(`${filler.repeat(9)}A whale. ${filler.repeat(9)}`, 'whale')).not.toContain('…')
  })

  test('of a long sentence has the text around the shortest part with the words', () => {
    const long = `The bay ${'of many small and large islands '.repeat(8)}and the harbour of the bay form the northern border of the land ${'and of its many rivers '.repeat(9)}.`
    expect(passage(long, 'harbour bay')).toContain('the harbour of the bay form the northern border of the land and')
  })

  test.for<[what: string, query: string, weights: number[], markdown: string, found: string]>([
    [
      'repeats the rare word',
      'whale ice',
      [1, 0.1],
      `The whale ${'was seen by many people of the coast '.repeat(4)}near the ice.\n\nWhale, whale, whale and whale.`,
      'Whale, whale, whale and whale.',
    ],
    [
      'has two words side by side, again and again',
      'whale ship ice',
      [1, 1, 0.8],
      `The whale ${'was seen by many people '.repeat(5)}from a ship ${'on the long way '.repeat(5)}to the ice.\n\nWhale, ship, whale, ship, whale, ship.`,
      'Whale, ship, whale, ship, whale, ship.',
    ],
    [
      'has the phrase',
      '"white whale" ice',
      [1, 1, 0.8],
      `A white and ${'very large and very old '.repeat(5)}whale in the ice of the south.\n\nA white whale.`,
      'A white whale.',
    ],
  ])('that %s wins over one before it with more of the words', ([, query, weights, markdown, found]) => {
    expect(passage(markdown, query, weights)).toBe(found)
  })

  test('prefers adjacent words and quoted phrases', () => {
    const markdown = `A red house with a fox stood near the forest of the northern people. ${filler.repeat(9)}A large red fox stood near the forest of the northern people. ${filler.repeat(9)}`
    expect(passage(markdown, 'red fox')).toContain('large red fox')
    const phrased = `Where it is not said to be or to do anything, be it so or not, be quiet about it, do not be loud. ${filler}To be or not to be is asked.`
    expect(passage(phrased, '"to be or not to be"')).toContain('To be or not to be is asked.')
  })

  test.for<[what: string, markdown: string, query: string, found: string]>([
    [
      'a heading with its text',
      '# Whales\n\nThey are large, and they live in every ocean of the world today.\n\nShips are not.',
      'whale',
      'Whales They are large, and they live in every ocean of the world today.',
    ],
    [
      'a heading with its text, which has the word too',
      '# Whales\n\nWhales are large, and they live in every ocean of the world today.\n\nShips are not.',
      'whale',
      'Whales are large, and they live in every ocean of the world today.',
    ],
    [
      'headings above one another',
      '# Whales\n\n## Teeth\n\nThey are large, and they are made of ivory of the best kind.\n',
      'whale teeth',
      'Teeth They are large, and they are made of ivory of the best kind.',
    ],
    [
      'a heading under a line',
      'Whales\n======\nThey are large, and they live in every ocean of the world today.',
      'whales',
      'Whales They are large, and they live in every ocean of the world today.',
    ],
    [
      'a heading of a table of contents and of its section',
      '# Whales and ships\n\n- Ships … 2\n\n# Whales\n\nThey are large, and they live in every ocean of the world.',
      'whale',
      'Whales They are large, and they live in every ocean of the world.',
    ],
    [
      'a heading as long as a paragraph',
      `# Whales ${'and ships '.repeat(20)}\n\nThey are large, and they live in every ocean of the world today.`,
      'whale',
      'They are large, and they live in every ocean of the world today.',
    ],
    ['a page of one heading', '# Whales\n', 'whale', 'Whales'],
    ['headings without text', '# Ships\n\n# Whales\n\n# Boats\n\n# Tar\n', 'whale', 'Whales'],
    [
      'a list',
      '- A ship\n- A *whale* of the north\n  with a tusk\n- A boat',
      'whale',
      'A whale of the north with a tusk',
    ],
    ['a numbered list', '1. A ship\n2. A whale\n3. A boat', 'whale', 'A whale'],
    ['a table', '| Animal | Length |\n|---|---:|\n| Whale | 30 m |\n| Dog | 1 m |', 'whale', 'Whale 30 m'],
    ['code', 'Text.\n\n```js\nconst ship = 1\nconst whale = 2\n```\n', 'whale', 'const whale = 2'],
    [
      'a paragraph of several lines',
      'A ship.\nThe whale\nmet a ship in the north of the\nocean, where the ice is. A boat was there.',
      'whale ocean',
      'The whale met a ship in the north of the ocean, where the ice is. A boat was there.',
    ],
    [
      'a quotation',
      '> A ship came from the north in the summer of that year, with a new captain.\n> The whale was seen near the ice by all of the people aboard the ship then.\n',
      'whale',
      'A ship came from the north in the summer of that year, with a new captain. The whale was seen near the ice by all of the people aboard the ship then.',
    ],
  ])('of %s is its text', ([, markdown, query, found]) => {
    expect(passage(markdown, query)).toBe(found)
  })

  test('ignores the words of filters and exclusions', () => {
    const markdown = `The ship of the north is a large one, with three masts and many sails. ${filler.repeat(9)}A whale is here.`
    expect(passage(markdown, 'whale title:ship')).toContain('A whale is here.')
  })

  test('is null for a page without any of the words', () => {
    expect(passage('Nothing here.', 'whale')).toBeNull()
  })

  test('of a page without spaces has whole characters', () => {
    const found = passage(`${'天地玄黄'.repeat(200)}東京都${'𠮷野家が'.repeat(200)}`, '東京') ?? ''
    expect(found).toContain('東京都')
    expect(found.length).toBeLessThanOrEqual(300)
    expect(found.isWellFormed()).toBe(true)
  })

  test('of any text is well-formed, on one line and at most 300 characters long', () => {
    const piece = oneof(
      string({ unit: 'grapheme', maxLength: 40 }),
      constantFrom(
        'whale',
        '𠮷',
        '👩‍👩‍👧',
        'e\u0301',
        '\n',
        ' ',
        '. ',
        '\n\n',
        '# ',
        '- ',
        '|',
        '**',
        '`',
        '[a](b)',
        '<br>',
        '\\',
        '\ud83d',
      ),
    )
    assert(
      property(array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('').toWellFormed()
        for (const found of [passage(`${text} whale ${text}`, 'whale'), opening(text)]) {
          if (found === null) continue
          expect(found.isWellFormed()).toBe(true)
          expect(found).not.toMatch(/[\n\r\t]/)
          expect(found.length).toBeLessThanOrEqual(300)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('takes linear time', () => {
    for (const piece of [
      'whale ',
      'whale. ',
      '# whale\n',
      '- whale\n',
      '| whale |\n',
      '. ',
      'A.',
      '… ',
      'a\n',
      '`whale`\n\n',
    ])
      expect(passage(piece.repeat(20_000), 'whale whales "whale whale"')?.length ?? 0).toBeLessThanOrEqual(300)
  }, 20_000)
})

test('the opening of a page is its first sentences, without its heading', () => {
  expect(opening('# Whales\n\nA whale is large. It swims.\n')).toBe('A whale is large. It swims.')
  expect(opening('# Whales\n')).toBe('Whales')
  expect(opening('')).toBe('')
})

describe('sentences', () => {
  test('of a long text without spaces take linear time', { timeout: 4000 }, () => {
    expect(sentencesOf('一'.repeat(8_000_000), { start: 0, end: 8_000_000 })).toHaveLength(7999)
  })

  test.for<[text: string, sentences: string[]]>([
    ['One. Two! Three? "Four." (Five.) Six', ['One.', 'Two!', 'Three?', '"Four."', '(Five.)', 'Six']],
    [
      'Dr. Smith met J. S. Bach, e.g. at 3.14 p. 12 of vol. 3. Then he left.',
      ['Dr. Smith met J. S. Bach, e.g. at 3.14 p. 12 of vol. 3.', 'Then he left.'],
    ],
    ['He said "Stop!" and left. Good', ['He said "Stop!" and left.', 'Good']],
    ['Wait … what? Yes', ['Wait … what?', 'Yes']],
    ['Version 2.0 is here. See node.js for more.', ['Version 2.0 is here.', 'See node.js for more.']],
    ['私は猫である。名前はまだ無い。「どこ?」', ['私は猫である。', '名前はまだ無い。', '「どこ?」']],
    ['यह है। वह है।', ['यह है।', 'वह है।']],
    [
      'The U.S. Army left at 5 p.m. Monday. Then, J. R. R. Tolkien',
      ['The U.S. Army left at 5 p.m. Monday.', 'Then, J. R. R. Tolkien'],
    ],
    [
      'This is so.[2][citation needed] That is not.[3] Why',
      ['This is so.[2][citation needed]', 'That is not.[3]', 'Why'],
    ],
    ['Das ist z.B. so. Und usw. auch', ['Das ist z.B. so.', 'Und usw. auch']],
  ])('of %s', ([text, sentences]) => {
    expect(sentencesOf(text, { start: 0, end: text.length }).map(({ start, end }) => text.slice(start, end))).toEqual(
      sentences,
    )
  })
})

test('a page is divided into blocks', () => {
  const blocks: Block[] = []
  const markdown = 'Title\n---\n\nOne\ntwo\n\n# H\n- a\n  b\n- c\n\n| d |\n```\ne\nf\n```\n> g\n> h'
  const { text } = finishSteps(stripMarkdownInSteps(markdown, blocks))
  expect(blocks.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)).toEqual([
    'heading Title',
    'text One\ntwo',
    'heading H',
    'item a\nb',
    'item c',
    'row d',
    'code e',
    'code f',
    'text g\nh',
  ])
})

describe('the plain text of a page', () => {
  test.for<[markdown: string, text: string]>([
    ['# A title #', 'A title'],
    ['Setext\n======', 'Setext'],
    ['* one\n* two\n  - three', 'one\ntwo\nthree'],
    ['1. one\n2) two', 'one\ntwo'],
    ['> quoted\n> > twice', 'quoted\ntwice'],
    ['**bold** and *it* and ***both*** and ~~gone~~', 'bold and it and both and gone'],
    ['__bold__ and _it_, snake_case_name, 2 * 3 * 4', 'bold and it, snake_case_name, 2 * 3 * 4'],
    ['a `co_de* [x]` b', 'a co_de* [x] b'],
    ['``a ` b`` c', 'a ` b c'],
    ['```js\nlet a_b = c ** d // # x\n```', 'let a_b = c ** d // # x'],
    ['~~~\n```\n~~~\nafter', '```\nafter'],
    ['[text](http://a.b/c_d "title") and [ref][1]', 'text and ref'],
    ['[the map](page:12), [`code`](page:7) and [a `b` c](https://d.org/e_f)', 'the map, code and a b c'],
    ['`[a](page:3)` is code', '[a](page:3) is code'],
    ['x[i][j], notes [1][2] and [a ref][2]', 'x[i][j], notes [1][2] and a ref'],
    ['<b>bo</b>ld, H<sub>2</sub>O<br/>and', 'bold, H2O and'],
    ['![alt](pic.png) [![in](a.png)](b.html)', 'alt in'],
    ['<https://a.b/c>', 'https://a.b/c'],
    ['a<br>b <b>c</b> x <int> y < z', 'a b c x <int> y < z'],
    ['<!-- hidden -->shown', 'shown'],
    ['\\*not bold\\* \\# \\_', '*not bold* # _'],
    ['**dh**\\_*foo* and \\(*it*\\)', 'dh_foo and (it)'],
    ['AT&amp;T &lt;tag&gt; &nbsp;x', 'AT&T <tag> x'],
    ['| a | b |\n|---|:-:|\n| c | d |', 'a b\nc d'],
    ['---\n\n***\n', ''],
    ['e\u0301', 'é'],
  ])('%j is %j', ([markdown, text]) => {
    expect(stripMarkdown(markdown).text).toBe(text)
  })

  test('reports the ranges of headings', () => {
    const { text, headings } = stripMarkdown('intro\n\n## The *first* part\n\ntext\n\n# Second\n')
    expect(headings.map(([start, end]) => text.slice(start, end))).toEqual(['The first part', 'Second'])
  })

  test('takes linear time for any sequence of marks', () => {
    for (const mark of ['[', '![', '*', '_', '`', '<', '\\', '|', '<!--', '&amp;', '> ', '(', '**a', '[a](', '<a ']) {
      expect(stripMarkdown(mark.repeat(20_000)).text.length).toBeLessThanOrEqual(120_000)
    }
  }, 20_000)
})
