import { describe, expect, test } from 'vitest'
import { readDocument } from '../../support/read-document.ts'
import { readParts } from '../../support/read-epub.ts'

const samples: [encoding: string, source: string][] = [
  ['windows-1252', 'Là-bas, où la forêt s’étend, l’été était déjà passé; nous étions très fatigués.'],
  ['windows-1251', 'Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.'],
  ['koi8-r', 'Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему.'],
  ['windows-1250', 'Příliš žluťoučký kůň úpěl ďábelské ódy, a řeka mezitím tekla dál přes údolí ke městu.'],
  ['windows-1253', 'Η θάλασσα ήταν ήρεμη και το πλοίο έφευγε αργά από το λιμάνι της πόλης.'],
  ['windows-1255', 'בראשית ברא אלהים את השמים ואת הארץ והארץ היתה תהו ובהו'],
  ['windows-1256', 'في البدء كانت الكلمة وكان البحر هادئا والسفينة تبحر ببطء من الميناء'],
  ['shift_jis', '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。'],
  ['gb18030', '他说这是一个很大的国家，我们都是从那里来的人，不知道以后会到什么地方去。'],
  ['big5', '他說這是一個很大的國家，我們都是從那裡來的人，不知道以後會到什麼地方去。'],
  ['euc-jp', '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。'],
  ['euc-kr', '나는 이 책을 읽고 있다. 하늘은 푸르고 바람은 시원하다. 그는 도서관에 갔다.'],
  ['iso-8859-2', 'Zażółć gęślą jaźń. W Szczebrzeszynie chrząszcz brzmi w trzcinie, a jeż śpi.'],
  ['macintosh', 'Là-bas, où la forêt s’étend, l’été était déjà passé ; nous étions très fatigués.'],
]
const japanese = '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。'
const page = (text: string, head = '') => `<html><head>${head}<title>T</title></head><body><p>${text}</p></body></html>`
const meta = (encoding: string) => `<meta charset="${encoding}">`
const html = async (bytes: Uint8Array) => (await readDocument(bytes, 'html')).text
const text = async (bytes: Uint8Array) => (await readDocument(bytes, 'text')).text

async function epub(bytes: Uint8Array): Promise<string | undefined> {
  return (await readParts({ files: { 'OEBPS/one.xhtml': bytes } })).pages[0]?.content
}

describe.for(samples)('a file in %s', ([encoding, source]) => {
  test.for([
    ['a text', text, source],
    ['a page that declares it', html, page(source, meta(encoding))],
    [
      'a page that declares it behind long scripts',
      html,
      page(source, `<script>${'x '.repeat(9_000)}</script>${meta(encoding)}`),
    ],
    ['a page that declares nothing', html, page(source)],
    ['a page that declares UTF-8', html, page(source, meta('utf-8'))],
    ['a chapter that declares UTF-8', epub, `<?xml version="1.0" encoding="utf-8"?>${page(source)}`],
  ] as const)('is read as %s', async ([, read, file]) => {
    expect(await read(encodeAs(encoding, file))).toBe(source)
  })
})

describe('a page in UTF-8', () => {
  test.for(['iso-8859-1', 'windows-1251', 'shift_jis', 'gbk', 'unicode', 'utf-16', 'unknown'])(
    'is read although it declares %s',
    async (encoding) => {
      expect(await html(Buffer.from(page(japanese, meta(encoding))))).toBe(japanese)
    },
  )

  test('keeps its text around damaged bytes, like a text', async () => {
    const source = Buffer.from(`${'Größe. '.repeat(20)}caf@. ${'Größe. '.repeat(20)}`).map((byte) =>
      byte === 64 ? 0xe9 : byte,
    )
    const read = Buffer.from(source).toString().trim()
    expect(read).toContain('caf\ufffd.')
    expect(await text(source)).toBe(read)
    expect(await html(source)).toBe(read)
  })
})

test.for(['The water rises.\n\nIt falls.\n', 'Вода поднимается.\n\nИ опускается.\n', `${japanese}\n\n${japanese}\n`])(
  'a text in UTF-16 without a byte order mark is read: %s',
  async (source) => {
    const bytes = Buffer.from(source, 'utf16le')
    expect(await text(bytes)).toBe(source.trim())
    expect(await text(Buffer.from(bytes).swap16())).toBe(source.trim())
  },
)

test('a file that is no text in UTF-16 is refused', async () => {
  const bytes = Uint8Array.from({ length: 2_000 }, (_, at) => (at * at * 31 + at) % 256)
  await expect(text(bytes)).rejects.toMatchObject({ code: 'BROKEN' })
})

test('a declaration decides about a few letters that are valid UTF-8 too', async () => {
  const name = Uint8Array.of(0xc3, 0xa4, 0xd0, 0xa1)
  const bytes = Buffer.concat([Buffer.from('<html><head><meta charset="gbk"></head><body>'), name])
  expect(await html(bytes)).toBe(new TextDecoder('gbk').decode(name))
})

test('a text with escape sequences of ISO-2022-JP is decoded', async () => {
  expect(await text(Buffer.from('\x1b$B5c$O\x1b(B and\n'))).toBe(
    `${new TextDecoder('iso-2022-jp').decode(Buffer.from('\x1b$B5c$O\x1b(B'))} and`,
  )
})

const encoders = new Map<string, Map<string, number[]>>()

function encodeAs(encoding: string, source: string): Buffer {
  const known = encoders.get(encoding) ?? encoderOf(encoding)
  encoders.set(encoding, known)
  return Buffer.from(Array.from(source, (character) => known.get(character) ?? []).flat())
}

/** Looks for the bytes that decode to each character. */
function encoderOf(encoding: string): Map<string, number[]> {
  const decoder = new TextDecoder(encoding)
  const known = new Map<string, number[]>()
  for (let first = 1; first < 256; first++) {
    const one = decoder.decode(Uint8Array.of(first))
    if (one.length === 1 && one !== '\uFFFD' && !known.has(one)) known.set(one, [first])
    if (first < 0x80) continue
    for (let second = 0x30; second < 256; second++) {
      const two = decoder.decode(Uint8Array.of(first, second))
      if ([...two].length === 1 && !two.includes('\uFFFD') && !known.has(two)) known.set(two, [first, second])
    }
  }
  return known
}
