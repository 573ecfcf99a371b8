import type { Navigation } from './navigation.ts'
import { resolveHref } from './resolve-path.ts'
import { attribute, child, children, parseXml } from './xml.ts'

/** Reads the page map of an EPUB 2 at `path`, in which Adobe's programs list printed pages. Throws like `parseXml`. */
export function readPageMap(bytes: Uint8Array, path: string): Navigation {
  const pages = children(child(parseXml(bytes, path), 'page-map'), 'page')
  const pageLabels = pages.flatMap((page) => {
    const label = attribute(page, 'name')
    const target = resolveHref(path, attribute(page, 'href') ?? '')
    return label === null || target === null ? [] : [{ label: label.toWellFormed(), target }]
  })
  return { entries: [], pageLabels }
}
