import type { TextRun } from '../page/pdf-file.ts'

/**
 * Letter pairs that are common in every language with Latin script. In 5,585 real pages, none had a share below 0.15,
 * except for two files with wrong ToUnicode maps.
 */
const commonPairs =
  'an ar as at al am ad de di do da ed el em en er es et he hi ic ie il in io is it la le li lo ma me mi na nd ne ng ni no nt ' +
  'of on or ou pa pe ra re ri ro se si so st ta te th ti to tr un ur us ve vi'
const isCommonPair = new Uint8Array(26 * 26)
for (const pair of commonPairs.split(' ')) isCommonPair[pairIndex(pair.charCodeAt(0), pair.charCodeAt(1))] = 1

const minPairs = 200
/**
 * A threshold below the lowest share of a real page. Of texts with randomly substituted letters, three in four have
 * less.
 */
const minCommonShare = 0.12
const minHan = 20
const maxRareHan = 0.3
/** Matches letters of other scripts than Latin. The range excludes quotation marks and mathematical symbols. */
const beyondLatin = /[\u0370-\u1fff\u2e80-\uffff]/
const word = /[\p{L}\p{M}]{4,}/gu

/**
 * The share (0 to 1) of text that is not in any language because the font maps its glyphs to wrong letters. It is 1 if
 * the pairs of Latin letters are improbable or many Chinese characters are rare ones, otherwise the share of text in
 * words that keep changing script.
 */
export function improbableShare(runs: readonly TextRun[]): number {
  const text = runs.map((run, index) => (startsWord(run, runs[index - 1]) ? ` ${run.text}` : run.text)).join('')
  if (hasImprobablePairs(runs)) return 1
  if (!beyondLatin.test(text)) return 0
  return hasRareHan(text) ? 1 : mixedShare(text)
}

/** Whether a run begins a new word. Where the direction of writing changes, the file often has no space. */
function startsWord({ hasSpaceBefore, rtl }: TextRun, before: TextRun | undefined): boolean {
  return hasSpaceBefore || rtl !== before?.rtl
}

function pairIndex(first: number, second: number): number {
  return (first - 97) * 26 + second - 97
}

function hasImprobablePairs(runs: readonly TextRun[]): boolean {
  const { pairs, share } = commonPairShare(runs.map(({ text }) => text))
  return pairs >= minPairs && share < minCommonShare
}

/** The number of pairs of Latin letters in texts, and the share (0 to 1) of pairs that are common in every language. */
export function commonPairShare(texts: readonly string[]): { pairs: number; share: number } {
  let pairs = 0
  let common = 0
  for (const text of texts) {
    let before = 0
    for (let at = 0; at < text.length; at += 1) {
      const unit = lowerLatin(text.charCodeAt(at))
      if (before > 0 && unit > 0) {
        pairs += 1
        if (before < 128 && unit < 128) common += isCommonPair[pairIndex(before, unit)] ?? 0
      }
      before = unit
    }
  }
  return { pairs, share: pairs === 0 ? 0 : common / pairs }
}

/** An ASCII or Latin-1 letter in lower case; 0 for anything else. */
function lowerLatin(unit: number): number {
  const lower = unit | 0x20
  if (lower >= 0x61 && lower <= 0x7a) return lower
  return unit >= 0xc0 && unit <= 0xff ? lower : 0
}

function hasRareHan(text: string): boolean {
  const rare = text.match(/[\u3400-\u4dbf]/g)?.length ?? 0
  if (rare === 0) return false
  const common = text.match(/[\u4e00-\u9fff]/g)?.length ?? 0
  return rare + common >= minHan && rare > (rare + common) * maxRareHan
}

/** The share of letters in words with two or more changes of script. Chinese, Greek and Latin letters may be mixed. */
function mixedShare(text: string): number {
  let letters = 0
  let mixed = 0
  for (const [found] of text.matchAll(word)) {
    letters += found.length
    let changes = 0
    let before = ''
    for (let at = 0; at < found.length; at += 1) {
      const script = scriptOf(found.charCodeAt(at))
      if (script === '') continue
      if (before !== '' && script !== before && !(isCompanion(script) && isCompanion(before))) changes += 1
      before = script
    }
    if (changes > 1) mixed += found.length
  }
  return letters === 0 ? 0 : mixed / letters
}

function isCompanion(script: string): boolean {
  return script === 'latin' || script === 'greek' || script === 'cjk'
}

/** The script of a letter, determined by its Unicode block; empty for marks and letters without a script. */
function scriptOf(unit: number): string {
  if (unit < 0x2b0 || (unit >= 0x1e00 && unit < 0x1f00)) return 'latin'
  if (unit < 0x370) return ''
  if (unit < 0x400 || (unit >= 0x1f00 && unit < 0x2000)) return 'greek'
  if (unit < 0x530) return 'cyrillic'
  if (unit < 0x590) return 'armenian'
  if (unit < 0x600) return 'hebrew'
  if (unit < 0x900) return 'arabic'
  if (unit >= 0x2000 && unit < 0x2e80) return ''
  if (unit >= 0x1100 && (unit < 0x1200 || unit >= 0x2e80)) return unit < 0xd800 ? 'cjk' : ''
  return String(unit >> 7)
}
