import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { transports } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const filler = 'Something else is told in this sentence. '

const pages: readonly [kind: string, markdown: string][] = [
  ['emphasis', 'The *great* **whale** and the ~~small~~ __ship__ are `code_like` words.'],
  ['links', 'The [great whale](http://a.b/c_d "title") of [the north](x.md) is seen here.'],
  ['references', 'The [great whale][1] of [the north][n] is seen here.\n\n[1]: http://a.b\n'],
  ['footnotes', 'The great whale[^1] of the north is seen here.[^note]'],
  ['entities', 'The whale &amp; the ship &lt;of&gt; the&nbsp;north are &quot;here&quot;.'],
  ['tags', 'The <b>great</b> whale<br>of the <i>no</i>rth is H<sub>2</sub>O, <em>seen</em>, here.'],
  ['comments', 'The great whale <!-- a note --> of the north is here.'],
  ['addresses', 'The whale is described at <https://a.b/c_d?e=f&g=h> and at https://a.b/c_d as well.'],
  ['escapes', 'The whale \\*is\\* a \\[fish\\] of \\#3 and 5 \\_ 6.'],
  ['pictures', 'The whale ![a picture](figure:0123456789abcdef) of the north is here.'],
  ['split words', 'The great whale of the nor-\nthern ice, which is well-\nknown, is here.'],
  ['quotation marks', 'The “great” whale’s ‘north’ — that is, 5–6 miles … and so on.'],
  ['ligatures and accents', 'The whale of the ﬁrst cafe\u0301 in Zu\u0308rich is ﬂat.'],
  ['code in brackets', 'The whale is whales[i][j] or f(x)[0] of the north.'],
  ['cells with marks', '| **Whale** | `30` m | a–b |\n|---|---|---|\n| Dog | 1 | c |'],
  ['formulas', 'The whale weighs $x_1 * x_2 < 3$ and $$a_{ij}$$ tons.'],
  ['Chinese', '# 鲸\n\n这是一条 **whale** 鲸鱼。它很大,住在海里。\n船在那里。'],
  ['Thai', 'เราไปห้องสมุด whale ทุกวัน และอ่านหนังสือ'],
  ['Arabic', 'هذا كِتَابٌ whale قديم. وهذا آخر؟ نعم.'],
  ['a heading alone', '## The **whale** of the [north](x.md)\n\nIt is `seen` here, and a ship too.'],
  ['a list in a quotation', '> - The *whale* of the north\n> - A ship'],
]

describe.for(transports)('a passage over %s', ([, transport]) => {
  test.for([
    [
      'a sentence',
      'The great whale[^1] of the north is seen here.[^note]',
      'The great whale of the north is seen here.',
    ],
    ['a note', '[^2]: The whale of the south is not.', 'The whale of the south is not.'],
    ['code', '```\ngrep -c whale[^1] north.txt\n```', 'grep -c whale[^1] north.txt'],
  ] as const)('shows the marks of notes only in code: %s', async ([kind, markdown, snippet]) => {
    const content = `# Page\n\n${markdown}\n\n${filler.repeat(9)}\n`
    const itemId = await makeBook(server, person, { title: kind, content })
    const found = await transport.call(server, person, 'search_items', { query: `whale in:${itemId}` })
    expect(found.body.items[0].hits[0].snippet).toBe(snippet)
  })

  test.for(pages)('of a page with %s is a quotation that check_citations finds there', async ([kind, markdown]) => {
    const content = `# Before\n\n${filler}\n\n# Page\n\n${filler}\n\n${markdown}\n\n${filler.repeat(9)}\n`
    const itemId = await makeBook(server, person, { title: kind, content })
    const found = await transport.call(server, person, 'search_items', { query: `whale in:${itemId}` })
    const [{ page, snippet: quote }] = found.body.items[0].hits
    expect(quote).toMatch(/whale/i)
    const checked = await transport.call(server, person, 'check_citations', { citations: [{ itemId, page, quote }] })
    expect(checked.body.citations, quote).toMatchObject([{ found: true, page }])
  })
})
