import { findAll } from './docx-runs.ts'
import { nodeText, readXmlBlocks, type XmlNode } from '../markup/xml-blocks.ts'

/** The texts of the points of a diagram (SmartArt, ECMA-376, part 1, 21.4.3.5), by its data part. */
export function textsOfDiagram(source: string): string[] {
  const texts: string[] = []
  readXmlBlocks(source, 'dgm:ptLst', (point) => {
    const paragraphs = findAll(point, 'a:p').map((paragraph) => findAll(paragraph, 'a:t').map(nodeText).join(''))
    const text = paragraphs.join(' ').trim()
    if (text !== '') texts.push(text)
  })
  return texts
}

/** The texts of the diagrams in a drawing. */
export function diagramsOf(drawing: XmlNode, diagrams: ReadonlyMap<string, readonly string[]>): string[] {
  return findAll(drawing, 'dgm:relIds').flatMap(({ attributes }) => diagrams.get(attributes['r:dm'] ?? '') ?? [])
}
