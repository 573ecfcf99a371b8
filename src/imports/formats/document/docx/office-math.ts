import { mathNode, type MathNode } from '../../math/math-node.ts'
import type { ElementWriter } from '../markup/element-writer.ts'
import { childNodes, findChild, nodeText, type XmlNode } from '../markup/xml-blocks.ts'

/** Writes the formulas of a formula paragraph (`m:oMathPara`) as blocks. */
export function writeOfficeMathParagraph(writer: ElementWriter, paragraph: XmlNode): void {
  for (const child of childNodes(paragraph)) if (child.name === 'm:oMath') writeOfficeMath(writer, child, true)
}

/** Writes an Office Math formula (ECMA-376, part 1, 22.1) as MathML. */
export function writeOfficeMath(writer: ElementWriter, formula: XmlNode, displayed: boolean): void {
  writer.open('math', displayed ? { display: 'block' } : {})
  for (const node of convertAll(childNodes(formula))) writeNode(writer, node)
  writer.close()
}

function writeNode(writer: ElementWriter, { name, attributes, children, text }: MathNode): void {
  writer.open(name, attributes)
  writer.text(text)
  for (const child of children) writeNode(writer, child)
  writer.close()
}

const value = (node: XmlNode | undefined): string | undefined => node?.attributes['m:val']
const property = (node: XmlNode, name: string): XmlNode | undefined =>
  findChild(findChild(node, `${node.name}Pr`), name)
/** An argument as one element. */
const part = (node: XmlNode, name: string): MathNode => mathNode('mrow', convertAll(childNodes(findChild(node, name))))
const operator = (text: string): MathNode => mathNode('mo', [], text)

function convertAll(nodes: readonly XmlNode[]): MathNode[] {
  return nodes.flatMap(convert)
}

const converters: ReadonlyMap<string, (node: XmlNode) => MathNode[]> = new Map(
  Object.entries({
    'm:r': convertRun,
    'm:f': (node) => {
      const fraction = mathNode('mfrac', [part(node, 'm:num'), part(node, 'm:den')])
      const type = value(property(node, 'm:type'))
      if (type === 'noBar') return [{ ...fraction, attributes: { linethickness: '0' } }]
      return [type === 'lin' || type === 'skw' ? { ...fraction, attributes: { bevelled: 'true' } } : fraction]
    },
    'm:sSup': (node) => [mathNode('msup', [part(node, 'm:e'), part(node, 'm:sup')])],
    'm:sSub': (node) => [mathNode('msub', [part(node, 'm:e'), part(node, 'm:sub')])],
    'm:sSubSup': (node) => [mathNode('msubsup', [part(node, 'm:e'), part(node, 'm:sub'), part(node, 'm:sup')])],
    'm:sPre': (node) => [
      mathNode('mmultiscripts', [part(node, 'm:e'), mathNode('mprescripts'), part(node, 'm:sub'), part(node, 'm:sup')]),
    ],
    'm:rad': (node) => {
      const degree = part(node, 'm:deg')
      const base = part(node, 'm:e')
      return [degree.children.length === 0 ? mathNode('msqrt', [base]) : mathNode('mroot', [base, degree])]
    },
    'm:nary': (node) => {
      const sign = operator(value(property(node, 'm:chr')) ?? '∫')
      return [mathNode('munderover', [sign, part(node, 'm:sub'), part(node, 'm:sup')]), part(node, 'm:e')]
    },
    'm:d': (node) => {
      const [open = '(', close = ')', separator = '|'] = ['m:begChr', 'm:endChr', 'm:sepChr'].map((name) =>
        value(property(node, name)),
      )
      const inner = childNodes(node)
        .filter(({ name }) => name === 'm:e')
        .flatMap((child, index) => [
          ...(index === 0 ? [] : [operator(separator)]),
          mathNode('mrow', convertAll(childNodes(child))),
        ])
      return [mathNode('mrow', [...fence(open), ...inner, ...fence(close)])]
    },
    'm:m': (node) => [
      tableOf(
        childNodes(node)
          .filter(({ name }) => name === 'm:mr')
          .map((row) => childNodes(row).filter(({ name }) => name === 'm:e')),
      ),
    ],
    'm:eqArr': (node) => [
      tableOf(
        childNodes(node)
          .filter(({ name }) => name === 'm:e')
          .map((line) => [line]),
      ),
    ],
    'm:func': (node) => [part(node, 'm:fName'), operator('\u2061'), part(node, 'm:e')],
    'm:acc': (node) => [mathNode('mover', [part(node, 'm:e'), operator(value(property(node, 'm:chr')) ?? '^')])],
    'm:bar': (node) => {
      const isTop = value(property(node, 'm:pos')) === 'top'
      return [mathNode(isTop ? 'mover' : 'munder', [part(node, 'm:e'), operator('¯')])]
    },
    'm:groupChr': (node) => {
      const isTop = value(property(node, 'm:pos')) === 'top'
      return [
        mathNode(isTop ? 'mover' : 'munder', [part(node, 'm:e'), operator(value(property(node, 'm:chr')) ?? '⏟')]),
      ]
    },
    'm:limLow': (node) => [mathNode('munder', [part(node, 'm:e'), part(node, 'm:lim')])],
    'm:limUpp': (node) => [mathNode('mover', [part(node, 'm:e'), part(node, 'm:lim')])],
    'm:borderBox': (node) => [{ ...mathNode('menclose', [part(node, 'm:e')]), attributes: { notation: 'box' } }],
    'm:phant': (node) => [part(node, 'm:e')],
  }),
)

function convert(node: XmlNode): MathNode[] {
  const convertKnown = converters.get(node.name)
  if (convertKnown !== undefined) return convertKnown(node)
  return node.name.endsWith('Pr') ? [] : convertAll(childNodes(node))
}

/** The operator of a fence; empty if the fence is empty. */
function fence(text: string): MathNode[] {
  return text === '' ? [] : [operator(text)]
}

function cellOf(node: XmlNode): MathNode {
  return mathNode('mtd', convertAll(childNodes(node)))
}

function tableOf(rows: readonly (readonly XmlNode[])[]): MathNode {
  return mathNode(
    'mtable',
    rows.map((row) => mathNode('mtr', row.map(cellOf))),
  )
}

/** Converts a run of characters: numbers, names and operators. */
function convertRun(run: XmlNode): MathNode[] {
  const text = childNodes(run)
    .filter(({ name }) => name === 'm:t')
    .map(nodeText)
    .join('')
  const properties = findChild(run, 'm:rPr')
  if (findChild(properties, 'm:nor') !== undefined) return [mathNode('mtext', [], text)]
  const isUpright = value(findChild(properties, 'm:sty')) === 'p'
  const pieces = text.match(/\d+(?:\.\d+)?|\p{L}+|[^\s\p{L}\d]|\s+/gu) ?? []
  return pieces.flatMap((piece) => {
    if (/^\d/.test(piece)) return [mathNode('mn', [], piece)]
    if (/^\s/.test(piece)) return []
    if (!/^\p{L}/u.test(piece)) return [operator(piece)]
    // An upright word is a name; in other text each letter is an identifier.
    return isUpright ? [mathNode('mi', [], piece)] : Array.from(piece, (letter) => mathNode('mi', [], letter))
  })
}
