/** Primary languages by the low byte of a Windows language code (MS-LCID, 2.2). */
const languages = new Map<number, string>(
  (
    '01 ar 02 bg 03 ca 04 zh 05 cs 06 da 07 de 08 el 09 en 0a es 0b fi 0c fr 0d he 0e hu 0f is 10 it 11 ja 12 ko 13 nl 14 no 15 pl 16 pt ' +
    '17 rm 18 ro 19 ru 1a hr 1b sk 1c sq 1d sv 1e th 1f tr 20 ur 21 id 22 uk 23 be 24 sl 25 et 26 lv 27 lt 29 fa 2a vi 2b hy 2c az 2d eu ' +
    '2f mk 36 af 37 ka 38 fo 39 hi 3e ms 3f kk 41 sw 43 uz 44 tt 45 bn 46 pa 47 gu 49 ta 4a te 4b kn 4c ml 4e mr 4f sa 52 cy 56 gl 61 ne'
  )
    .match(/\w+ \w+/g)
    ?.map((pair): [number, string] => [Number.parseInt(pair.slice(0, 2), 16), pair.slice(3)]),
)

/** Converts a Windows language code to a BCP 47 tag without a region; null if it is 0 or unknown. */
export function languageOfCode(code: number): string | null {
  return languages.get(code & 0xff) ?? null
}
