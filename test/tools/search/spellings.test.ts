import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { transports } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Queries, each with a page that has the same words in another spelling. Nothing else in these pages matches. */
const spellings: readonly [kind: string, query: string, page: string][] = [
  ['yeh of Arabic for Persian', 'ايراني', 'این کتاب درباره تاریخ ایرانی است که در آن زمان نوشته شد.'],
  ['kaf of Persian for Arabic', 'کتابخانه', 'ما هر روز به كتابخانه مي‌رويم و آن‌جا با دوستان درس مي‌خوانيم.'],
  ['a Persian plural', 'دریاچه', 'آن‌ها به دریاچه‌ها در شمال رفتند و با هم برای شنا بودند.'],
  ['a Persian verb with a space', 'می رقصند', 'آن‌ها در مدرسه می‌رقصند و با هم بازی می‌کنند.'],
  ['a Persian compound in one word', 'روزنامهنگار', 'او روزنامه‌نگار است و برای آن شهر می‌نویسد.'],
  ['the heh of Urdu', 'پہاڑ', 'اس شہر میں پهاڑ ہے اور لوگ گھر میں ہیں۔'],
  ['the alef with wasla', 'الصراط', 'في هذا ٱلصراط المستقيم كل من كان على الحق.'],
  ['Persian digits', '1357', 'این در سال ۱۳۵۷ در آن شهر رخ داد و همه را شاد کرد.'],
  ['Arabic digits', '١٩٧٣', 'كانت الحرب في سنة 1973 في هذا المكان وكان الناس فيها.'],
  ['Arabic groups of digits', '64,250', 'في هذا المكان ٦٤٬٢٥٠ بيت وهو على النهر.'],
  ['an Arabic decimal point', '7.25', 'كان طول هذا النهر ٧٫٢٥ كيلومتر في تلك السنة.'],
  ['Devanagari digits', '१८५७', 'यह विद्रोह सन 1857 में हुआ था और यह बहुत बड़ा था।'],
  ['Bengali digits', '1971', 'বাংলাদেশ ১৯৭১ সালে স্বাধীন হয় এবং এটি একটি নতুন দেশ।'],
  ['Thai digits', '2475', 'การเปลี่ยนแปลงเกิดขึ้นในปี ๒๔๗๕ ที่ประเทศนี้'],
  ['Hindi without nukta', 'जमीन', 'वह ज़मीन किसान की है और वह इस पर खेती करता है।'],
  ['either nasal sign of Hindi', 'हंसना', 'हमें हँसना चाहिए क्योंकि यह सेहत के लिए अच्छा है।'],
  ['a Danish letter as two', 'smoerrebroed', 'Han spiser smørrebrød om morgenen, og det er ikke godt for ham.'],
  ['two Danish letters as one', 'Ålborg', 'Han er fra Aalborg, og det er ikke langt fra det sted, hvor de er.'],
  ['two German letters as one', 'Käfer', 'Der Kaefer sitzt auf dem Blatt und ist nicht von der Wiese.'],
  ['either place of Vietnamese tones', 'thuỷ', 'Nhà máy thủy điện được xây trên sông và của nhà nước.'],
  ['an apostrophe that is a letter', "сузір'я", 'Це сузірʼя видно вночі, і воно не для того, щоб його їсти.'],
  ['the okina', 'lanai', 'The island of Lānaʻi is in the middle of the ocean.'],
  ['the ge of Ukrainian', 'грунт', 'Це ґрунт для квітів, і він не для того, щоб його їсти.'],
  ['Hebrew initials', 'צהל', 'זה צה״ל והוא של כל אדם על הארץ ולא של אחד.'],
  ['the point of Catalan', 'colleccio', 'La col·lecció és a la casa i no és per a tothom.'],
  ['a range with a hyphen', '1914-1918', 'The war of 1914–1918 was seen by the people in the valley.'],
  ['a range in words', '1755-1763', 'The war lasted from 1755 to 1763 in these colonies.'],
  ['a compound with a dash', 'michelsonmorley', 'The Michelson–Morley experiment was repeated at night.'],
  ['the mark of a note', 'kingdom', 'He came to the kingdom² and stayed there for a year.'],
  ['a fraction', '3/8 spoon', 'Add ⅜ cup of sugar and stir the mixture until it is smooth.'],
]

describe.for(transports)('another spelling over %s', ([, transport]) => {
  let person: Person
  const ids: string[] = []
  beforeAll(async () => {
    person = await server.createPerson()
    for (const [, , content] of spellings) ids.push(await makeBook(server, person, { title: '·', content }))
  })

  test.for(spellings.map((each, at) => [...each, at] as const))('%s: %s', async ([, query, , at]) => {
    const { body } = await transport.call(server, person, 'search_items', { query })
    expect((body.items as { id: string }[])[0]?.id).toBe(ids[at])
    expect(body.didYouMean ?? null).toBeNull()
  })
})
