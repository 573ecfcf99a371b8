/** Letters that count; the number after the last one is written in digits. */
const sequences: ReadonlyMap<string, string> = new Map(
  Object.entries({
    aiueo: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
    iroha: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
    ganada: '가나다라마바사아자차카타파하',
    chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
    ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
    ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
    ideographEnclosedCircle: '㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉',
    decimalEnclosedCircle: '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳',
    russianLower: 'абвгдежзиклмнопрстуфхцчшщыэюя',
    russianUpper: 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ',
    lowerGreek: 'αβγδεζηθικλμνξοπρστυφχψω',
    hebrew2: 'אבגדהוזחטיכלמנסעפצקרשת',
    arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
    arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
    thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  }),
)

/** Ten digits, from zero. */
const digits: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ideographDigital: '〇一二三四五六七八九',
    koreanDigital: '영일이삼사오육칠팔구',
    hindiNumbers: '०१२३४५६७८९',
    thaiNumbers: '๐๑๒๓๔๕๖๗๘๙',
    decimalFullWidth: '０１２３４５６７８９',
  }),
)

interface Counting {
  digits: string
  units: string
  /** Whether a zero stands for skipped units, as in Chinese. */
  hasZero: boolean
  /** Up to which unit a one before it is left out, as in `十一`: none (0), ten (1), or all (3). */
  impliedOnes: 0 | 1 | 3
}

const chinese: Counting = { digits: '零一二三四五六七八九', units: '十百千', hasZero: true, impliedOnes: 1 }
const legal = { units: '拾佰仟', hasZero: true, impliedOnes: 0 } as const

/** Systems with words for ten, a hundred and a thousand. */
const countings: ReadonlyMap<string, Counting> = new Map(
  Object.entries({
    chineseCounting: chinese,
    japaneseCounting: { ...chinese, hasZero: false, impliedOnes: 3 },
    koreanCounting: { digits: '영일이삼사오육칠팔구', units: '십백천', hasZero: false, impliedOnes: 3 },
    chineseLegalSimplified: { ...legal, digits: '零壹贰叁肆伍陆柒捌玖' },
    ideographLegalTraditional: { ...legal, digits: '零壹貳參肆伍陸柒捌玖' },
    japaneseLegal: { digits: '零壱弐参四伍六七八九', units: '拾百阡', hasZero: false, impliedOnes: 0 },
  }),
)

/** Systems with the numbers of another one, as far as lists count. */
const sameSystems: ReadonlyMap<string, string> = new Map(
  Object.entries({
    chineseCountingThousand: 'chineseCounting',
    taiwaneseCounting: 'chineseCounting',
    taiwaneseCountingThousand: 'chineseCounting',
    taiwaneseDigital: 'ideographDigital',
    japaneseDigitalTenThousand: 'ideographDigital',
    koreanDigital2: 'koreanDigital',
    aiueoFullWidth: 'aiueo',
    irohaFullWidth: 'iroha',
    ideographZodiacTraditional: 'ideographZodiac',
    decimalEnclosedCircleChinese: 'decimalEnclosedCircle',
  }),
)

const romanSigns: readonly (readonly [value: number, sign: string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

/** Fifteen and sixteen would spell a name of God. */
const hebrewSigns = [
  ...Array.from('תשרק', (sign, at) => [400 - at * 100, sign] as const),
  ...Array.from('צפעסנמלכ', (sign, at) => [90 - at * 10, sign] as const),
  [16, 'טז'] as const,
  [15, 'טו'] as const,
  ...Array.from('יטחזוהדגבא', (sign, at) => [10 - at, sign] as const),
]

/** A number from 1 to 4,000 in a number system of another script, named as in Word; null for other systems. */
export function numberInScript(number: number, system: string): string | null {
  const name = sameSystems.get(system) ?? system
  if (name === 'hebrew1') return sumOfSigns(number, hebrewSigns)
  const counting = countings.get(name)
  if (counting !== undefined) return counted(number, counting)
  const places = digits.get(name)
  if (places !== undefined) return `${number}`.replace(/\d/g, (digit) => places[Number(digit)] ?? digit)
  const sequence = sequences.get(name)
  return sequence === undefined ? null : (sequence[number - 1] ?? `${number}`)
}

/** The name of the system of another script in which 1, 2 and 3 are written so; undefined if there is none. */
export function systemOfNumbers(first: readonly string[]): string | undefined {
  const names = [...sequences.keys(), 'hebrew1', ...countings.keys(), ...digits.keys()]
  return names.find((name) => first.every((sign, at) => numberInScript(at + 1, name) === sign))
}

/** A number as a Roman numeral in small letters. */
export function romanNumeral(number: number): string {
  return sumOfSigns(number, romanSigns)
}

function sumOfSigns(number: number, signs: readonly (readonly [value: number, sign: string])[]): string {
  let [rest, written] = [number, '']
  for (const [value, sign] of signs) for (; rest >= value; rest -= value) written += sign
  return written
}

function counted(number: number, { digits: names, units, hasZero, impliedOnes }: Counting): string {
  let written = ''
  let isSkipped = false
  for (let place = Math.min(`${number}`.length - 1, 3); place >= 0; place--) {
    const digit = Math.floor(number / 10 ** place) % 10
    if (digit === 0) isSkipped = written !== ''
    else {
      if (hasZero && isSkipped) written += names[0]
      isSkipped = false
      const isImplied = digit === 1 && place > 0 && place <= impliedOnes && (impliedOnes > 1 || written === '')
      written += `${isImplied ? '' : names[digit]}${place === 0 ? '' : units[place - 1]}`
    }
  }
  return written
}
