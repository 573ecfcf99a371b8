/** The file and fragment that an href refers to. */
export interface HrefTarget {
  path: string
  fragment: string | null
}

/** Resolves an href relative to the file `base`; null for a remote resource. The path never leaves the archive. */
export function resolveHref(base: string, href: string): HrefTarget | null {
  const trimmed = href.trim()
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(trimmed)) return null
  const hash = trimmed.indexOf('#')
  const fragment = hash < 0 ? '' : decodePercent(trimmed.slice(hash + 1))
  const reference = (hash < 0 ? trimmed : trimmed.slice(0, hash)).replace(/\?.*$/s, '')
  const path = reference === '' ? base : joinPath(base, decodePercent(reference))
  return { path, fragment: fragment === '' ? null : fragment }
}

function joinPath(base: string, reference: string): string {
  const folder = reference.startsWith('/') ? [] : base.split('/').slice(0, -1)
  const segments: string[] = []
  for (const segment of [...folder, ...reference.split('/')]) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.join('/')
}

/** Decodes percent-encoding; a text with invalid encoding stays as it is. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Finds the file for a path: exact match, otherwise ignoring case and Unicode form, otherwise by a unique base name.
 */
export type PathResolver = (path: string) => string | null

export function createPathResolver(paths: readonly string[]): PathResolver {
  const exact = new Set(paths)
  const folded = indexUnique(paths, foldPath)
  const byName = indexUnique(paths, baseName)
  return (path) => {
    if (exact.has(path)) return path
    const encoded = encodeURI(path.toWellFormed())
    if (exact.has(encoded)) return encoded
    return folded.get(foldPath(path)) ?? byName.get(baseName(path)) ?? null
  }
}

/** Maps keys to paths; null for a key that several paths share. */
function indexUnique(paths: readonly string[], keyOf: (path: string) => string): Map<string, string | null> {
  const unique = new Map<string, string | null>()
  for (const path of paths) {
    const key = keyOf(path)
    unique.set(key, unique.has(key) ? null : path)
  }
  return unique
}

function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function baseName(path: string): string {
  return foldPath(path.slice(path.lastIndexOf('/') + 1))
}

/** Resolves an address in the file `base`; null for one that leads outside the book. */
export type TargetResolver = (base: string, href: string) => HrefTarget | null

/** Resolves addresses to files of the book. Caches the files, because links lead to few. */
export function createTargetResolver(resolvePath: PathResolver): TargetResolver {
  const known = new Map<string, string | null>()
  return (base, href) => {
    const hash = href.indexOf('#')
    const file = hash < 0 ? href : href.slice(0, hash)
    const key = `${base}\n${file}`
    let path = known.get(key)
    if (path === undefined) {
      const target = resolveHref(base, file)
      path = target === null ? null : resolvePath(target.path)
      if (known.size < maxKnown) known.set(key, path)
    }
    const fragment = hash < 0 ? '' : decodePercent(href.slice(hash + 1).trim())
    return path === null ? null : { path, fragment: fragment === '' ? null : fragment }
  }
}

const maxKnown = 20_000
