import { pageObjectNumber, type TestPdf } from './pdf.ts'

/** An element of the structure of a tagged test PDF. Its kids are elements, and pieces of marked content (see `mark`). */
export interface TestElement {
  type: string
  kids: (TestElement | Marked)[]
  /** Additional entries, for example `/A << /O /Table /ColSpan 2 >>`. */
  entries?: string
}

/** A piece of marked content: operators, on the page with this index from 0. */
export interface Marked {
  operators: string
  page: number
}

/** The first object number of the structure, above those of other objects. */
const firstObject = 1_000

/** A structure element. Strings among its kids are operators on the first page. */
export function element(type: string, ...kids: (TestElement | Marked | string)[]): TestElement {
  return { type, kids: kids.map((kid) => (typeof kid === 'string' ? { operators: kid, page: 0 } : kid)) }
}

const startOfArtifact = '/Artifact BMC'

/** Operators as an artifact, which belongs to no element, also among the kids of one. */
export function asArtifact(operators: string): string {
  return `${startOfArtifact}\n${operators}EMC\n`
}

/**
 * A tagged PDF with these elements below its root. `unmarked` are operators of each page that belong to no element, and
 * come first in its content.
 */
export function taggedPdf(elements: readonly TestElement[], unmarked: readonly string[] = ['']): TestPdf {
  const contents = [...unmarked]
  const parents: string[][] = unmarked.map(() => [])
  const objects = new Map<number, string>()
  let next = firstObject + 2
  const write = ({ type, kids, entries = '' }: TestElement, parent: number): number => {
    const number = next++
    const list = kids.flatMap((kid) => {
      if ('type' in kid) return `${write(kid, number)} 0 R`
      if (kid.operators.startsWith(startOfArtifact)) {
        contents[kid.page] += kid.operators
        return []
      }
      const content = parents[kid.page]?.push(`${number} 0 R`) ?? 0
      contents[kid.page] += `/${type} << /MCID ${content - 1} >> BDC\n${kid.operators}EMC\n`
      return `<< /Type /MCR /Pg ${pageObjectNumber(kid.page)} 0 R /MCID ${content - 1} >>`
    })
    objects.set(number, `<< /Type /StructElem /S /${type} /P ${parent} 0 R ${entries} /K [${list.join(' ')}] >>`)
    return number
  }
  const roots = elements.map((each) => `${write(each, firstObject)} 0 R`)
  const rows = parents.map((list, page) => `${page} [${list.join(' ')}]`)
  objects.set(firstObject + 1, `<< /Nums [${rows.join(' ')}] >>`)
  objects.set(
    firstObject,
    `<< /Type /StructTreeRoot /K [${roots.join(' ')}] /ParentTree ${firstObject + 1} 0 R /RoleMap << /Titel /H1 >> >>`,
  )
  return {
    pages: contents.map((content, page) => ({ content, entries: `/StructParents ${page}` })),
    catalog: `/MarkInfo << /Marked true >> /StructTreeRoot ${firstObject} 0 R`,
    objects,
  }
}
