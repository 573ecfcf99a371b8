import { html } from 'hono/html'
import { buildTocTree } from '../../../reading/toc-tree.ts'
import type { OutlineView } from '../../../reading/read-page.ts'
import type { Html } from '../../components/html.ts'
import { headingIdsOf } from '../../markdown/heading-ids.ts'
import { pagePath } from './opened-book.ts'

/** Number of top-level entries that are visible initially. */
const shownEntries = 30

type Node = ReturnType<typeof buildTocTree>[number]
/** A tree with the ids of headings on their pages. */
type TreeView = OutlineView & { headingIds: ReadonlyMap<Node, string | null> }

/** The table of contents as a tree, collapsed below the top level, with links to the headings on their pages. Empty if there is none. */
export function contentsTree(outline: OutlineView): Html | '' {
  if (outline.toc.length === 0) return ''
  const tree = buildTocTree(outline.toc, outline.manifest.pageCount)
  const view = { ...outline, headingIds: findHeadingIds(tree, outline.toc) }
  return html`<section aria-labelledby="contents">
    <h2 id="contents">Contents</h2>
    <ol class="contents">
      ${tree.slice(0, shownEntries).map((node) => entry(view, node, 1))}
    </ol>
    ${tree.length > shownEntries ? restOfTree(view, tree.slice(shownEntries)) : ''}
  </section>`
}

/** The ids of the headings of a tree, whose nodes are in the order of the entries. */
function findHeadingIds(tree: readonly Node[], toc: OutlineView['toc']): Map<Node, string | null> {
  const headingIds = headingIdsOf(toc)
  const ids = new Map<Node, string | null>()
  const visit = (node: Node) => {
    ids.set(node, headingIds[ids.size] ?? null)
    for (const child of node.children) visit(child)
  }
  for (const node of tree) visit(node)
  return ids
}

function restOfTree(view: TreeView, rest: readonly Node[]): Html {
  return html`<details>
    <summary>${rest.length.toLocaleString('en-GB')} more</summary>
    <ol class="contents">
      ${rest.map((node) => entry(view, node, 1))}
    </ol>
  </details>`
}

function entry(view: TreeView, node: Node, level: number): Html {
  const { children } = node
  const below = html`<ol>
    ${children.map((child) => entry(view, child, level + 1))}
  </ol>`
  return html`<li>
    ${line(view, node)}
    ${
      children.length === 0
        ? ''
        : level > 1
          ? below
          : html`<details>
              <summary>
                ${children.length === 1 ? '1 section' : `${children.length} sections`}<span class="hidden-text">
                  of ${node.title}</span
                >
              </summary>
              ${below}
            </details>`
    }
  </li>`
}

function line(view: TreeView, node: Node): Html {
  const { title, startPage } = node
  const id = view.headingIds.get(node) ?? null
  const name = html`<span dir="auto" lang="${view.book.language ?? ''}">${title}</span>
    <span class="leader">${startPage}</span>`
  return startPage <= view.lastPage
    ? html`<a class="contents-line" href="${pagePath(view, startPage)}${id === null ? '' : `#${id}`}">${name}</a>`
    : html`<span class="contents-line closed">${name}</span>`
}
