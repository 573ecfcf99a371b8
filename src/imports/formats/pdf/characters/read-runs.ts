import type { TextItem as PdfjsItem } from 'pdfjs-dist/types/src/display/api.d.ts'
import type { FontFace, TextRun, QuarterTurns } from '../page/pdf-file.ts'
import { improbableShare } from './improbable-text.ts'
import { calibriLigatures, cleanText, countUnreadable } from './text.ts'

/** Adjacent characters of one font as an engine returns them, in the units and axes of the file. */
export type TextItem = Omit<PdfjsItem, 'hasEOL'> & Pick<TextRun, 'glyphHeight' | 'mcid'>

/** The face of a font about which nothing is known. */
export const defaultFace: FontFace = { bold: false, italic: false, mono: false, vertical: false }

/**
 * Converts the text items of an engine to runs in page coordinates, in the order of the file. White-space items set
 * `hasSpaceBefore`. `garbled` is the share (0 to 1) of unreadable characters.
 */
export function readRuns(
  items: readonly TextItem[],
  view: readonly number[],
  faces: ReadonlyMap<string, FontFace>,
): { runs: TextRun[]; garbled: number } {
  const runs: TextRun[] = []
  let hasSpaceBefore = false
  let characters = 0
  let unreadable = 0
  for (const item of items) {
    if (item.str === '') continue
    if (item.str.trim() === '') {
      hasSpaceBefore = true
      continue
    }
    const isPlain = plain.test(item.str)
    // Some engines spell out ligatures, others do not.
    characters += isPlain ? item.str.length : item.str.replace(ligature, (sign) => sign.normalize('NFKC')).length
    if (!isPlain) unreadable += countUnreadable(item.str)
    const text = isPlain ? item.str : cleanText(item.str)
    const run = toRun(item, view, faces.get(item.fontName) ?? defaultFace)
    run.text = text.trim()
    if (run.rotation === 0) skipSpaces(run, item.str)
    run.hasSpaceBefore = hasSpaceBefore || text.startsWith(' ')
    hasSpaceBefore = text.endsWith(' ')
    if (run.text !== '' && Number.isFinite(run.x + run.y + run.width) && run.size > 0) runs.push(run)
  }
  expandSingleLigatures(runs)
  return { runs, garbled: characters === 0 ? 0 : Math.max(unreadable / characters, improbableShare(runs)) }
}

/** Visible characters of ASCII and spaces, which are never unreadable. */
const plain = /^[ -~]*$/
const ligature = /[\ufb00-\ufb06]/g

/** Expands ligatures of Calibri (see `cleanText`) that are runs of their own inside a word. */
function expandSingleLigatures(runs: readonly TextRun[]): void {
  for (const [at, run] of runs.entries()) {
    const text = calibriLigatures.get(run.text)
    if (text === undefined) continue
    const [before, next] = [runs[at - 1], runs[at + 1]]
    const followsLetter = !run.hasSpaceBefore && /\p{Ll}$/u.test(before?.text ?? '')
    const precedesLetter = next?.hasSpaceBefore === false && /^\p{Ll}/u.test(next.text)
    if (followsLetter || (precedesLetter && run.text !== '\u014c')) run.text = text
  }
}

/** Excludes the spaces at both ends from the extent of a run. They are about a quarter of an em wide. */
function skipSpaces(run: TextRun, text: string): void {
  const before = text.length - text.trimStart().length
  const after = text.length - text.trimEnd().length
  if (before + after === 0) return
  const space = Math.min(run.size * 0.25, (run.width * 0.5) / (before + after))
  run.x += space * (run.rtl ? after : before)
  run.width -= space * (before + after)
}

function toRun(item: TextItem, view: readonly number[], font: FontFace): TextRun {
  const [va = 1, vb = 0, vc = 0, vd = -1, ve = 0, vf = 0] = view
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = item.transform as readonly number[]
  const scale = Math.hypot(va, vb)
  return {
    text: '',
    x: va * e + vc * f + ve,
    y: vb * e + vd * f + vf,
    width: (font.vertical ? item.height : item.width) * scale,
    size: (item.height && !font.vertical ? item.height : Math.hypot(c, d)) * scale,
    font,
    ...(font.vertical ? { rotation: 1 } : directionOf(va * a + vc * b, vb * a + vd * b)),
    hasSpaceBefore: false,
    rtl: item.dir === 'rtl',
    ...(item.mcid === undefined ? {} : { mcid: item.mcid }),
    ...(item.glyphHeight === undefined ? {} : { glyphHeight: item.glyphHeight * scale }),
  }
}

/** The sine of the minimum angle to the nearest quarter turn at which text counts as slanted (about 10 degrees). */
const minSlant = 0.17

function directionOf(x: number, y: number): Pick<TextRun, 'rotation' | 'slanted'> {
  const isSlanted = Math.min(Math.abs(x), Math.abs(y)) > Math.hypot(x, y) * minSlant
  return { rotation: nearestRotation(x, y), ...(isSlanted ? { slanted: true } : {}) }
}

/** The quarter turn that is nearest to a writing direction. */
function nearestRotation(x: number, y: number): QuarterTurns {
  if (Math.abs(x) >= Math.abs(y)) return x >= 0 ? 0 : 2
  return y > 0 ? 1 : 3
}
