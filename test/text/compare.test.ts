import { describe, expect, test } from 'vitest'
import { alignSequences } from '../../src/text/compare/align-sequences.ts'
import { compareTexts, type MarkedPart, type TextStretch } from '../../src/text/compare/compare-texts.ts'
import { startDiffBudget } from '../../src/text/compare/diff-budget.ts'
import { mergeTexts } from '../../src/text/compare/merge-texts.ts'
import { splitLines } from '../../src/text/compare/split-lines.ts'

const ample = () => startDiffBudget(5000)

/** Formats lines with their changed parts in brackets. */
const show = (lines: MarkedPart[][]) =>
  lines.map((parts) => parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''))

const shown = (stretches: TextStretch[]) =>
  stretches.map((one) => (one.same ? one.lines : { before: show(one.before), after: show(one.after) }))

describe('lines', () => {
  test.for([
    ['nothing', '', []],
    ['every kind of line end', 'a\nb\r\nc\rd', ['a\n', 'b\r\n', 'c\r', 'd']],
    ['blank lines', '\n\n', ['\n', '\n']],
  ] as const)('of %s', ([, text, lines]) => {
    expect(splitLines(text)).toEqual(lines)
  })
})

describe('a comparison', () => {
  test('marks the changed words within a line', () => {
    const before = 'One\nThe quick brown fox jumps.\nThree\n'
    const after = 'One\nThe quick red fox jumps.\nThree\n'
    expect(shown(compareTexts(before, after, ample()))).toEqual([
      ['One'],
      { before: ['The quick [brown] fox jumps.'], after: ['The quick [red] fox jumps.'] },
      ['Three'],
    ])
  })

  test('of equal texts has one stretch, of empty ones none', () => {
    expect(shown(compareTexts('a\nb', 'a\nb', ample()))).toEqual([['a', 'b']])
    expect(compareTexts('', '', ample())).toEqual([])
  })

  test('marks added and removed lines completely, including blank ones', () => {
    expect(shown(compareTexts('a\nb\n', 'a\n\nnew\nb\n', ample()))).toEqual([
      ['a'],
      { before: [], after: ['', '[new]'] },
      ['b'],
    ])
    expect(shown(compareTexts('a\nb\n', '', ample()))).toEqual([{ before: ['[a]', '[b]'], after: [] }])
  })

  test.for([
    ['that was added at the end', 'the end', 'the end\n', { before: ['the end'], after: ['the end[¶]'] }],
    ['of another kind', 'one\r\ntwo', 'one\ntwo', { before: ['one[¶]'], after: ['one[¶]'] }],
  ] as const)('shows a line end %s, where nothing else has changed', ([, before, after, changed]) => {
    expect(shown(compareTexts(before, after, ample()))[0]).toEqual(changed)
  })

  test('marks single characters in scripts without spaces, and whole words in Arabic', () => {
    const [japanese] = compareTexts('本を読む人がいる', '本を書く人がいる', ample())
    expect(shown([japanese as TextStretch])).toEqual([
      { before: ['本を[読む]人がいる'], after: ['本を[書く]人がいる'] },
    ])
    const [arabic] = compareTexts('هذا كتاب جديد', 'هذا كتابي جديد', ample())
    expect(shown([arabic as TextStretch])).toEqual([{ before: ['هذا [كتاب] جديد'], after: ['هذا [كتابي] جديد'] }])
  })

  test('shows lines that have nothing in common as two texts', () => {
    expect(shown(compareTexts('Whales sing at night.', 'Bread needs a hot oven, and time.', ample()))).toEqual([
      { before: ['[Whales sing at night.]'], after: ['[Bread needs a hot oven, and time.]'] },
    ])
  })

  test('of two large texts without a common line ends within its budget and loses nothing', () => {
    const text = (word: string) => Array.from({ length: 40_000 }, (_, at) => `${word} ${at}\n`).join('')
    const before = process.cpuUsage()
    const [stretch, ...rest] = compareTexts(text('a'), text('b'), startDiffBudget(100))
    // Measures CPU time, because other processes may use the machine.
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1500)
    expect(rest).toEqual([])
    expect(stretch?.same === false && [stretch.before.length, stretch.after.length]).toEqual([40_000, 40_000])
  })

  test('of a very long line marks it completely', () => {
    const [stretch] = compareTexts('ab '.repeat(300_000), 'ac '.repeat(300_000), startDiffBudget(100))
    expect(stretch?.same === false && stretch.before[0]).toHaveLength(1)
  })

  test('keeps every character of both texts', () => {
    const before = '# T\n\nx <b>y</b> z\r\n\n\u202e abc\nlast'
    const after = '# T\n\nx <i>y</i> z\r\n\n\u202e abd\nlast line\n'
    const stretches = compareTexts(before, after, ample())
    const side = (name: 'before' | 'after') =>
      stretches.flatMap((one) => (one.same ? one.lines : one[name].map((parts) => parts.map((p) => p.text).join(''))))
    expect(side('before')).toEqual(before.split(/\r?\n/))
    expect(side('after')).toEqual(after.split(/\r?\n/).slice(0, -1))
  })
})

describe('an alignment', () => {
  test('counts the elements of each side in order', () => {
    expect(alignSequences([...'abcde'], [...'axcdez'], ample())).toEqual([
      { same: true, before: { start: 0, count: 1 }, after: { start: 0, count: 1 } },
      { same: false, before: { start: 1, count: 1 }, after: { start: 1, count: 1 } },
      { same: true, before: { start: 2, count: 3 }, after: { start: 2, count: 3 } },
      { same: false, before: { start: 5, count: 0 }, after: { start: 5, count: 1 } },
    ])
  })
})

describe('a merge', () => {
  test('of 200,000 lines with a change at each end has both changes', () => {
    const lines = 'x\n'.repeat(200_000)
    const texts = { base: `first\n${lines}last\n`, mine: `mine\n${lines}last\n`, theirs: `first\n${lines}theirs\n` }
    expect(mergeTexts(texts, ample())).toBe(`mine\n${lines}theirs\n`)
  })

  const base = 'one\ntwo\nthree\nfour\nfive\n'

  test.for([
    [
      'changes in different places',
      'ONE\ntwo\nthree\nfour\nfive\n',
      'one\ntwo\nthree\nfour\nFIVE\n',
      'ONE\ntwo\nthree\nfour\nFIVE\n',
    ],
    [
      'an added and a removed line',
      'one\nnew\ntwo\nthree\nfour\nfive\n',
      'one\ntwo\nthree\nfour\n',
      'one\nnew\ntwo\nthree\nfour\n',
    ],
    [
      'the same change twice',
      'one\n2\nthree\nfour\nfive\n',
      'one\n2\nthree\nfour\nfive\n',
      'one\n2\nthree\nfour\nfive\n',
    ],
    ['a change and none', base, 'one\ntwo\n', 'one\ntwo\n'],
    ['added text at the two ends', `zero\n${base}`, `${base}six\n`, `zero\n${base}six\n`],
  ] as const)('keeps %s', ([, mine, theirs, merged]) => {
    expect(mergeTexts({ base, mine, theirs }, ample())).toBe(merged)
    expect(mergeTexts({ base, mine: theirs, theirs: mine }, ample())).toBe(merged)
  })

  test.for([
    ['the same line differently', 'one\nTWO\nthree\nfour\nfive\n', 'one\nzwei\nthree\nfour\nfive\n'],
    ['a line that the other removed', 'one\nTWO\nthree\nfour\nfive\n', 'one\nthree\nfour\nfive\n'],
    ['neighbouring lines', 'one\nTWO\nthree\nfour\nfive\n', 'one\ntwo\nTHREE\nfour\nfive\n'],
    ['different lines at the same place', 'one\nx\ntwo\nthree\nfour\nfive\n', 'one\ny\ntwo\nthree\nfour\nfive\n'],
  ] as const)('reports a conflict if both changed %s', ([, mine, theirs]) => {
    expect(mergeTexts({ base, mine, theirs }, ample())).toBeNull()
    expect(mergeTexts({ base, mine: theirs, theirs: mine }, ample())).toBeNull()
  })
})
