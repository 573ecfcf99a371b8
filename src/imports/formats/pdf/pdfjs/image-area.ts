export interface Operators {
  fnArray: readonly number[]
  argsArray: readonly unknown[]
}

/** Operator codes by their names in pdf.js. */
export type OperatorCodes = Readonly<Record<string, number>>

type Matrix = readonly [number, number, number, number, number, number]

/** `paintCountAtScale` is the paint count when the matrix was last changed, or null if the matrix was inherited. */
interface GraphicsState {
  matrix: Matrix
  paintCountAtScale: number | null
}

const initial: GraphicsState = { matrix: [1, 0, 0, 1, 0, 0], paintCountAtScale: null }

/**
 * The total area of the images of a page, in square points. Images are never decoded, so pdf.js omits their paint
 * operators. A transform that is set and restored without painting in between indicates an image.
 */
export function imageArea({ fnArray, argsArray }: Operators, codes: OperatorCodes): number {
  const paints = new Set([codes['constructPath'], codes['showText'], codes['showSpacedText'], codes['shadingFill']])
  const stack: GraphicsState[] = []
  let state = initial
  let paintCount = 0
  let area = 0
  const countImage = (): void => {
    if (state.paintCountAtScale !== paintCount) return
    area += unitArea(state.matrix)
    paintCount += 1
  }
  const scale = (matrix: Matrix): void => {
    state = { matrix: multiply(state.matrix, matrix), paintCountAtScale: paintCount }
  }
  for (const [index, code] of fnArray.entries()) {
    if (code === codes['save']) {
      stack.push(state)
      state = { matrix: state.matrix, paintCountAtScale: null }
    } else if (code === codes['restore'] || code === codes['paintFormXObjectEnd']) {
      countImage()
      state = stack.pop() ?? initial
    } else if (code === codes['transform']) {
      scale(matrixOf(argsArray[index]))
    } else if (code === codes['paintFormXObjectBegin']) {
      stack.push(state)
      const args = argsArray[index]
      scale(matrixOf(Array.isArray(args) ? args[0] : null))
      state.paintCountAtScale = null
    } else if (paints.has(code)) {
      paintCount += 1
    }
  }
  countImage()
  return area
}

function matrixOf(value: unknown): Matrix {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return initial.matrix
  const [a, b, c, d, e, f] = Array.from<unknown, number>(value, Number)
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0]
}

function multiply(m: Matrix, n: Matrix): Matrix {
  return [
    m[0] * n[0] + m[2] * n[1],
    m[1] * n[0] + m[3] * n[1],
    m[0] * n[2] + m[2] * n[3],
    m[1] * n[2] + m[3] * n[3],
    m[0] * n[4] + m[2] * n[5] + m[4],
    m[1] * n[4] + m[3] * n[5] + m[5],
  ]
}

function unitArea(m: Matrix): number {
  const area = Math.abs(m[0] * m[3] - m[1] * m[2])
  return Number.isFinite(area) ? area : 0
}
