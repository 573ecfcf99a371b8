import type { TextRun } from './pdf-file.ts'

/** A reading (furigana), which may consist of several runs, and where it ends. */
interface Reading {
  runs: TextRun[]
  end: number
}

/** The characters of a run with the readings after them, its width, and the size of the readings. */
interface Explained {
  characters: string[]
  width: number
  readingSize: number
}

const kana = /^[\p{Script=Hiragana}\p{Script=Katakana}ー・]+$/u
const han = /\p{Script=Han}/u
const maxCharacters = 20
/** The size of readings and the distance of their baseline from that of the characters below, in ems of these. */
const [minSize, maxSize] = [0.35, 0.65]
const [minRise, maxRise] = [0.6, 1.4]
/** Maximum gap between runs of one reading, in ems. */
const maxGap = 0.1
/** How many runs below a reading are looked at. Two lines have fewer, with a run for each character. */
const maxBases = 400
/** How far the middle of a character may be outside of its reading, in ems of the character. */
const maxAside = 0.3

/**
 * Places the readings of horizontal text, small kana above Chinese characters, in brackets after the characters that
 * they explain, as in EPUBs.
 */
export function placeReadings(runs: readonly TextRun[]): TextRun[] {
  const upright = runs.filter(({ rotation, slanted }) => rotation === 0 && slanted !== true)
  const readings = findReadings(upright.filter(({ text }) => text.length <= maxCharacters && kana.test(text)))
  if (readings.length === 0) return [...runs]
  const bases = upright.filter(({ text }) => han.test(text)).sort((a, b) => a.y - b.y)
  const explained = new Map<TextRun, Explained>()
  const placed = new Set<TextRun>()
  for (const reading of readings) {
    const place = findCharacter(reading, bases)
    if (!place) continue
    const { base, index } = place
    const { characters, width } = explained.get(base) ?? { characters: [...base.text], width: base.width }
    characters[index] += `(${reading.runs.map(({ text }) => text).join('')})`
    // Below a reading that is wider than its characters there is a gap.
    if (characters[index + 1] === ' ') characters[index + 1] = ''
    const isLast = index === characters.length - 1
    explained.set(base, {
      characters,
      width: isLast ? Math.max(width, reading.end - base.x) : width,
      readingSize: reading.runs[0]?.size ?? 0,
    })
    for (const run of reading.runs) placed.add(run)
  }
  if (placed.size === 0) return [...runs]
  return runs.flatMap((run) => {
    if (placed.has(run)) return []
    const { characters, ...changes } = explained.get(run) ?? {}
    return characters ? [{ ...run, ...changes, text: characters.join('') }] : [run]
  })
}

/** Joins the runs of kana that touch each other. */
function findReadings(runs: readonly TextRun[]): Reading[] {
  const readings: Reading[] = []
  for (const run of runs) {
    const last = readings.at(-1)
    const [first] = last?.runs ?? []
    const touches =
      last && first?.y === run.y && first.size === run.size && Math.abs(run.x - last.end) < run.size * maxGap
    if (touches) {
      last.runs.push(run)
      last.end = run.x + run.width
    } else readings.push({ runs: [run], end: run.x + run.width })
  }
  return readings
}

/** The last Chinese character below a reading. `bases` are runs that contain some, from top to bottom. */
function findCharacter(
  { runs: [first], end }: Reading,
  bases: readonly TextRun[],
): { base: TextRun; index: number } | null {
  if (!first) return null
  let [low, high] = [0, bases.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bases[middle]?.y ?? 0) <= first.y) low = middle + 1
    else high = middle
  }
  let best: { base: TextRun; index: number } | null = null
  for (let at = low; at < Math.min(bases.length, low + maxBases); at += 1) {
    const base = bases[at]
    if (!base || base.y - first.y > (first.size / minSize) * maxRise) break
    if (!isAbove(first, base)) continue
    const index = lastCharacterBelow(base, first.x, end)
    if (index >= 0 && (!best || base.x > best.base.x)) best = { base, index }
  }
  return best
}

function isAbove(reading: TextRun, base: TextRun): boolean {
  const [size, rise] = [reading.size / base.size, (base.y - reading.y) / base.size]
  return size >= minSize && size <= maxSize && rise >= minRise && rise <= maxRise
}

/** The index of the last Chinese character of a run between two positions; -1 if there is none. */
function lastCharacterBelow({ text, x, width, size }: TextRun, start: number, end: number): number {
  if (end < x || start > x + width) return -1
  const characters = [...text]
  const middleOf = (index: number): number => x + ((index + 0.5) / characters.length) * width
  return characters.findLastIndex((character, index) => {
    const middle = middleOf(index)
    return han.test(character) && middle > start - size * maxAside && middle < end + size * maxAside
  })
}
