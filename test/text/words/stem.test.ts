import { expect, test } from 'vitest'
import { stem } from '../../../src/text/words/stem.ts'

// Pairs from the sample vocabulary on snowballstem.org, at least one for each rule and exception.
const pairs = `
consign consign|consigned consign|consigning consign|consignment consign|consist consist|consistency consist|
consolation consol|consolatory consolatori|consolidate consolid|knack knack|knackeries knackeri|knavish knavish|
kneaded knead|kneel kneel|knightly knight|knights knight|knots knot|
caresses caress|ties tie|cries cri|gas gas|this this|gaps gap|kiwis kiwi|abacus abacus|
agreed agre|feed feed|luxuriated luxuri|hopped hop|hoped hope|hoping hope|failing fail|falling fall|sized size|fixed fix|
added add|egged egg|by by|say say|cry cri|dying die|skies sky|idly idl|early earli|news news|atlas atlas|
inning inning|proceed proceed|succeeds succeed|exceeded exceed|
sensational sensat|valence valenc|hesitancy hesit|capably capabl|differently differ|vietnamization vietnam|operator oper|
feudalism feudal|formality formal|hopefulness hope|callousness callous|decisiveness decis|sensibility sensibl|
analogies analog|geologist geolog|boldly bold|rational ration|conditional condit|triplicate triplic|electrical electr|
goodness good|formative format|negative negat|revival reviv|allowance allow|airliner airlin|adjustable adjust|
replacement replac|adjustment adjust|adoption adopt|region region|effective effect|cease ceas|rate rate|controll control|
generate generat|generous generous|communism communism|community communiti|arsenal arsenal|organization organiz|
universal universal|university universiti|internal internal|paste paste|pasting paste|yes yes|youth youth|boyish boyish|is is|
`
  .replaceAll('\n', '')
  .split('|')
  .filter((pair) => pair !== '')
  .map((pair) => pair.split(' ') as [string, string])

test.for(pairs)('%s has the stem %s', ([word, expected]) => {
  expect(stem(word)).toBe(expected)
})
