import { describe, expect, test } from 'vitest'
import { americanSpelling } from '../../../src/text/words/american-spelling.ts'
import { analyse } from '../../../src/text/words/analyse.ts'
import { detectLanguage, languageTagOf, recogniseLanguage } from '../../../src/text/words/detect-language.ts'
import { finnishWithEnglish } from '../../support/finnish-with-english.ts'
import { languageOf } from '../../../src/text/words/languages.ts'
import { fold } from '../../../src/text/words/fold.ts'
import { functionWords } from '../../../src/text/words/function-words.ts'
import { latinStemmers } from '../../../src/text/words/stemmers.ts'
import {
  beginningOf,
  changedBeginningsOf,
  commonPrefixLength,
  groupByLatinTerms,
  termsOf,
} from '../../../src/text/words/terms.ts'
import type { Token } from '../../../src/text/words/token.ts'

const french =
  'Les enfants prennent le car pour aller à la ville, et les bergers mènent leurs troupeaux dans la vallée.'
const english = 'The children take the bus to the town, and the shepherds lead their flocks into the valley.'

describe('the language of a text', () => {
  test.for([
    ['fr', french],
    ['en', english],
    ['de', 'Die Kinder fahren mit dem Bus in die Stadt, und die Hirten führen ihre Herden in das Tal.'],
    ['es', 'Los niños toman el autobús para ir a la ciudad y los pastores llevan sus rebaños al valle.'],
    ['pt', 'As crianças tomam o ônibus para ir à cidade e os pastores não levam os seus rebanhos ao vale.'],
    ['it', "I bambini prendono l'autobus per andare nella città e i pastori portano le loro greggi nella valle."],
    ['nl', 'De kinderen nemen de bus naar de stad en de herders brengen hun kudden naar het dal.'],
    ['sv', 'Barnen tar bussen till staden och herdarna för sina hjordar till dalen, där det är grönt.'],
    ['da', 'Børnene tager bussen ind til byen, og hyrderne fører deres flokke ned i dalen, hvor der er grønt.'],
    ['fi', 'Lapset menevät bussilla kaupunkiin ja paimenet vievät laumansa laaksoon, joka on vihreä.'],
    ['tr', 'Çocuklar şehre gitmek için otobüse bindiler ve çobanlar sürülerini bir vadiye götürdüler.'],
    ['vi', 'Trẻ em đi xe buýt vào thành phố và những người chăn cừu đưa đàn của họ xuống thung lũng.'],
    ['ru', 'Дети едут на автобусе в город, а пастухи ведут свои стада в долину.'],
    ['uk', 'Діти їдуть автобусом до міста, а пастухи ведуть свої отари в долину, що зелена.'],
    ['el', 'Τα παιδιά παίρνουν το λεωφορείο για την πόλη.'],
    ['ja', '子供たちはバスで町へ行く。'],
    ['zh', '孩子们坐公共汽车去城里。'],
    ['th', 'เด็กๆ นั่งรถบัสเข้าเมือง'],
  ] as const)('%s is detected by its script and function words', ([language, text]) => {
    expect(detectLanguage(text, null)).toBe(language)
  })

  test('the expected language is kept unless the text is clearly in another one', () => {
    expect(detectLanguage('Tabula 4: 12, 17, 23', 'de')).toBe('de')
    expect(detectLanguage('Kant, Hegel, Fichte, Schelling', 'fr')).toBe('fr')
    expect(detectLanguage(french, 'en')).toBe('fr')
    expect(detectLanguage(french, 'zh')).toBe('fr')
    expect(detectLanguage('', 'fr')).toBe('fr')
    expect(detectLanguage('', null)).toBe('en')
  })

  test.for([
    [
      'ja',
      'ファイルの一覧を表示するには、"ls -l" または "find . -name x -print" と入力して、the list of files in a directory を確認してください。',
    ],
    [
      'zh',
      '要显示文件列表，请输入 "ls -l" 或 "find . -name x -print"，然后检查屏幕上的 the list of files in a directory，再继续下一步。',
    ],
    [
      'vi',
      'Nhấn nút "The name of the file that you want to open" rồi gõ tên tệp, hoặc chọn một mục trong hộp "The list of ' +
        'the files in this directory" để mở tập tin đó; lỗi "This is not a file that can be read by the program" thường gặp.',
    ],
  ] as const)('%s stays the language of a text with as many English words', ([language, text]) => {
    expect(detectLanguage(text, language)).toBe(language)
  })

  test('a language with few function words stays the language of a text with as many English words', () => {
    expect(detectLanguage(finnishWithEnglish, 'fi')).toBe('fi')
    expect(detectLanguage(finnishWithEnglish, 'de')).toBe('en')
    expect(detectLanguage('This is a page that was not translated, and all of it is in English.', 'fi')).toBe('en')
  })

  test('a text of clauses without spaces is in their language even if most words with spaces are English', () => {
    const text = 'ファイルの一覧を表示するには、the list of files in a directory を確認してください。'
    expect(detectLanguage(text, null)).toBe('ja')
  })

  test.for([
    ['en-US', 'en'],
    ['DE', 'de'],
    ['fre', 'fr'],
    ['nb_NO', 'no'],
    ['English', null],
    ['', null],
    [null, null],
  ] as const)('the tag %s is the language %s', ([tag, language]) => {
    expect(languageOf(tag)).toBe(language)
  })
})

describe('the language of a text without metadata', () => {
  test.for([
    ['the boats lie on the sand, and the keeper of the lighthouse knew that the winter would be long', 'en'],
    ['este libro es de la historia de los reyes que vivieron en el país y de las guerras con los otros', 'es'],
    ['Он сказал, что это всё, что у него было, и как только она его увидела, ей стало ясно, что он прав', 'ru'],
    ['این کتاب دربارهٔ تاریخ ایران است و در آن از شاهان سخن می‌رود که در آن زمان با هم بودند', 'fa'],
    ['これは日本語の文章です。', 'ja'],
    ['Το βιβλίο', 'el'],
  ] as const)('%s is recognised as %s', ([text, language]) => {
    expect(recogniseLanguage(text)).toBe(language)
  })

  test.for([
    ['no words', '12, 17, 23'],
    ['a few words', 'Figure 3: the sea'],
    ['names', 'Smith, John; Müller, Peter; Dupont, Jean; Rossi, Mario; García, José'],
    ['code', 'int main(void) { for (i = 0; i < n; i++) printf(s); return 0; } '.repeat(20)],
    [
      'a language that is not known',
      'Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae. '.repeat(20),
    ],
    ['a script that is not known', 'আমার সোনার বাংলা আমি তোমায় ভালোবাসি'],
  ] as const)('is left open for %s', ([, text]) => {
    expect(recogniseLanguage(text)).toBeNull()
  })
})

describe('the tag of a text', () => {
  test.for([
    ['en-US', '이 책은 한국어로 쓰여 있습니다.', 'ko'],
    ['en', 'これは日本語の文章です。', 'ja'],
    [
      'en-US',
      'Он сказал, что это всё, что у него было, и как только она его увидела, ей стало ясно, что он прав',
      'ru',
    ],
    [
      'de',
      'the boats lie on the sand, and the keeper of the lighthouse knew that the winter would be long for all of them',
      'en',
    ],
  ] as const)('%s is contradicted by %s, which is %s', ([tag, text, language]) => {
    expect(languageTagOf(text, tag)).toBe(language)
  })

  test.for([
    ['the same language with a region', 'zh-TW', '這是一本關於中國歷史的書。'],
    ['another name of the same language', 'jpn', 'これは日本語の文章です。'],
    ['a few foreign words', 'de', 'Figure 3: the sea'],
    ['code', 'de', 'int main(void) { for (i = 0; i < n; i++) printf(s); return 0; }'],
    ['a language that is not recognised, in a script of others', 'mr', 'हे पुस्तक मराठी भाषेत आहे.'],
    [
      'a language that is not recognised, with words of another',
      'la',
      'est in me non et ad de a per se cum in est non et',
    ],
    ['no text', 'fr', ''],
    ['no tag and no words', null, '12, 17, 23'],
  ] as const)('is kept for %s', ([, tag, text]) => {
    expect(languageTagOf(text, tag)).toBe(tag ?? '')
  })
})

describe('the terms of a word', () => {
  test.for([
    ['es', 'educación', 'educaciones'],
    ['es', 'educacion', 'educación'],
    ['fr', 'cheval', 'chevaux'],
    ['de', 'haus', 'häuser'],
    ['tr', 'kitap', 'kitaplarından'],
    ['ar', 'كتاب', 'والكتاب'],
    ['ar', 'المكتبة', 'بالمكتبات'],
    ['ar', 'مدرسة', 'ومدرسة'],
    ['ar', 'مستشفى', 'مستشفي'],
    ['ru', 'зелёный', 'зеленого'],
    ['en', 'organising', 'organize'],
    ['vi', 'nguoi', 'người'],
  ] as const)('in %s, %s and %s have a common term', ([language, one, other]) => {
    const terms = new Set(termsOf(one, language).concat(language === 'vi' ? `~${one}` : []))
    expect(termsOf(other, language).some((term) => terms.has(term))).toBe(true)
  })

  test('short Arabic words keep the letters of their root', () => {
    expect(termsOf('ولد', 'ar')).toEqual(['ولد'])
    expect(termsOf('الله', 'ar')).toEqual(['له'])
    expect(termsOf('قال', 'ar')).toEqual(['قال'])
  })

  test('Vietnamese words that differ in their tones differ', () => {
    expect(termsOf('gạo', 'vi')).not.toContain(termsOf('gáo', 'vi')[0])
  })

  test('a stem is never as short as a function word of another language', () => {
    expect(termsOf('att', 'fi')).toEqual(['att'])
  })
})

test.for([
  ['colour', 'color'],
  ['coloured', 'colored'],
  ['organisation', 'organization'],
  ['analysed', 'analyzed'],
  ['centre', 'center'],
  ['centred', 'centered'],
  ['catalogue', 'catalog'],
  ['defence', 'defense'],
  ['promise', 'promise'],
  ['otherwise', 'otherwise'],
  ['precise', 'precise'],
  ['raised', 'raised'],
  ['four', 'four'],
  ['hours', 'hours'],
] as const)('%s is spelled %s in American English', ([british, american]) => {
  expect(americanSpelling(british)).toBe(american)
})

describe('names and numbers', () => {
  const tokensOf = (text: string): string[] => {
    const tokens: Token[] = []
    analyse(text, (token) => tokens.push(token))
    return tokens.map(({ word, kind }) => `${word} ${kind}`)
  }

  test.for([
    ['U.S.A.', ['u word', 's word', 'a word', 'usa name']],
    ['AT&T', ['at word', 't word', 'att name']],
    ['1,000', ['1 word', '000 word', '1000 name']],
    ['2 500 000', ['2 word', '500 word', '000 word', '2500000 name']],
    ['3.11', ['3 word', '11 word', '3.11 whole']],
    ['v2.0.1', ['v2 word', '0 word', '1 word', '2.0.1 whole']],
    ['node.js', ['node word', 'js word', 'nodejs compound']],
    ['the .NET way', ['the word', 'net word', '.net whole', 'way word']],
    ['getUserById', ['getuserbyid word', 'get part', 'user part', 'by part', 'id part']],
    ['HTMLParser', ['htmlparser word', 'html part', 'parser part']],
    ['the end.', ['the word', 'end word']],
    ['in 2020 300 came', ['in word', '2020 word', '300 word', 'came word']],
  ] as const)('%s', ([text, tokens]) => {
    expect(tokensOf(text)).toEqual(tokens)
  })

  test('words after a name keep their distance', () => {
    const positions = new Map<string, number>()
    analyse('call getUserById now', ({ word, position }) => positions.set(word, position))
    expect([positions.get('call'), positions.get('getuserbyid'), positions.get('id'), positions.get('now')]).toEqual([
      0, 1, 4, 5,
    ])
  })
})

/** Words of Latin letters in many languages, with endings and beginnings that stemmers change. */
const latinWords = [
  ...[...functionWords.values()].flatMap((words) => [...words]),
  'sceptic',
  'dying',
  'lying',
  'tying',
  'tyre',
  'skies',
  'œuvre',
  'ærlig',
  'ßa',
  'éléphants',
  'über',
  'oog',
  'wdzą',
  'stem',
  'ct',
  'eenen',
  ...['be', 'un', 'ge', 'mem', 'ox', 'ab', 'yy', 'oo', 'st'].flatMap((start) =>
    ['ing', 'ation', 'ement', 'heiten', 'ándose', 'lerinden', 'issimo', 'okkal', 'aste', 'ys'].flatMap((end) => [
      start + end,
      `${start}rant${end}`,
    ]),
  ),
].filter((word) => /^[a-z\d]*$/.test(fold(word)))

describe('the beginning of a word', () => {
  test.for([...latinStemmers.keys(), 'ru', 'ar', 'zh', 'xx'])('is the same in the terms of %s', (language) => {
    const kept = commonPrefixLength(language)
    const known = new Set(changedBeginningsOf([language]))
    const changed = latinWords.filter(
      (word) =>
        !known.has(fold(word).slice(0, 2)) &&
        termsOf(word, language).some((term) => beginningOf(term).slice(0, kept) !== fold(word).slice(0, kept)),
    )
    expect(changed).toEqual([])
    expect(latinWords.length).toBeGreaterThan(400)
  })

  test.for(['ga', 'id'])(
    'changes in %s only in words that begin with known letters, and with each of these',
    (language) => {
      const alphabet = [...'abcdefghijklmnopqrstuvwxyz']
      const ends = ['', 'a', 'in', 'an', 'ala', 'erah', 'ngkan', 'nyapu', 'satu', 'laigh', 'thas', 'rinka']
      const changed = alphabet
        .flatMap((first) => alphabet.map((second) => first + second))
        .filter((beginning) =>
          ends.some((end) => !termsOf(beginning + end, language).every((term) => term.startsWith(beginning))),
        )
      // A word may also lose so many letters at its end that the stem is shorter than its beginning.
      expect(changed.toSorted()).toEqual(changedBeginningsOf([language]).toSorted())
    },
  )

  test('languages of other scripts have the same terms for Latin words', () => {
    expect(groupByLatinTerms(['en', 'ar', 'de', 'zh', 'ru'])).toEqual(['en', 'ar', 'de'])
    for (const word of latinWords) expect(termsOf(word, 'zh'), word).toEqual(termsOf(word, 'ar'))
  })
})

test.for([
  ['cs', 'soubor souboru souborů soubory souborem souborech'],
  ['cs', 'znak znaky znaková znakové znakového znakových'],
  ['cs', 'Praha Prahy Praze Prahou'],
  ['cs', 'systém systému systémy systémem'],
  ['pl', 'plik pliki pliku plików plikach plikiem plikami'],
  ['pl', 'użytkownik użytkownicy użytkowników użytkownikom'],
  ['pl', 'droga drogi drodze drogę drogami'],
  ['pl', 'system systemu systemy systemem'],
] as const)('the forms of a word in %s have one stem, with and without accents: %s', ([language, forms]) => {
  const words = forms.split(' ').flatMap((form) => [form.toLowerCase(), fold(form)])
  expect(new Set(words.flatMap((word) => termsOf(word, language))).size).toBe(1)
})

test.for([
  ['cs', 'město', 'místo'],
  ['cs', 'noc', 'nos'],
  ['pl', 'pliki', 'płyty'],
  ['pl', 'moc', 'moda'],
] as const)('in %s, %s and %s have different stems', ([language, one, other]) => {
  expect(termsOf(one, language)).not.toEqual(termsOf(other, language))
})

test('a Bulgarian word for which the stemmer throws stays as it is', () => {
  expect(termsOf('потери', 'bg')).toEqual(['потери'])
  expect(termsOf('градовете', 'bg')).not.toEqual(['градовете'])
})
