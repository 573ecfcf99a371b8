import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Hono } from 'hono'
import type { Env } from '../../transport/request-state.ts'

interface Asset {
  contentType: string
  body: Buffer<ArrayBuffer>
  /** True for text; fonts are already compressed. */
  compressible: boolean
  /** The compressed body by content coding, created at the first request. */
  encodings: Map<Coding, Promise<Buffer<ArrayBuffer>>>
}

type Coding = keyof typeof compressors

/** Content codings, the preferred one first. */
const compressors = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
}
const codings = Object.keys(compressors) as Coding[]

const root = new URL('../', import.meta.url)
const require = createRequire(import.meta.url)

/** The fonts of the pages: a serif for reading, with its italic, and a sans serif for the interface. */
const fontStyles = [
  '@fontsource-variable/literata/wght.css',
  '@fontsource-variable/literata/wght-italic.css',
  '@fontsource-variable/inter/wght.css',
]

/** Assets by their name in URLs after `/assets/`. */
const assets = new Map<string, Asset>()
const versions = new Map<string, string>()

addText('style.css', 'text/css; charset=utf-8', styleSheet())
addText('icon.svg', 'image/svg+xml', readText('design/icon.svg'))
for (const name of fileNames('scripts/', '.js')) {
  addText(name, 'text/javascript; charset=utf-8', readScript(name))
}

/**
 * The URL of an asset. It contains a hash of the content, so browsers may cache it permanently. Throws if there is no
 * such asset.
 */
export function assetUrl(name: string): string {
  const version = versions.get(name)
  if (version === undefined) throw new Error(`There is no asset ${name}`)
  return `/assets/${name}?v=${version}`
}

/** Mounts the style sheet, the icon, the fonts and the scripts of the pages. */
export function mountAssets(app: Hono<Env>): void {
  app.get('/assets/:name', async (c) => {
    c.get('requestState').operationName = 'asset'
    const asset = assets.get(c.req.param('name'))
    if (!asset) return c.notFound()
    const accepted = c.req.header('accept-encoding') ?? ''
    const coding = asset.compressible ? codings.find((name) => accepts(accepted, name)) : undefined
    const headers = new Headers({
      'Content-Type': asset.contentType,
      'Cache-Control': c.req.query('v') === undefined ? 'public, max-age=300' : 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
    })
    if (coding) headers.set('Content-Encoding', coding)
    return new Response(coding ? await encode(asset, coding) : asset.body, { headers })
  })
}

function encode({ body, encodings }: Asset, coding: Coding): Promise<Buffer<ArrayBuffer>> {
  const encoded = encodings.get(coding) ?? compressors[coding](body)
  encodings.set(coding, encoded)
  return encoded
}

/** True if an `Accept-Encoding` header accepts a coding (RFC 9110, section 12.5.3). */
export function accepts(header: string, coding: string): boolean {
  return header.split(',').some((entry) => {
    const [name, quality = ''] = entry.toLowerCase().split(';')
    return name?.trim() === coding && !/^\s*q=0(?:\.0*)?\s*$/.test(quality)
  })
}

function addText(name: string, contentType: string, text: string): void {
  const body = Buffer.from(text)
  assets.set(name, { contentType, body, compressible: true, encodings: new Map() })
  versions.set(name, versionOf(body))
}

/** The combined style sheets: those of the design, then those of the pages. */
function styleSheet(): string {
  const places = readdirSync(new URL('pages/', root), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = [
    ...fileNames('design/', '.css').map((name) => `design/${name}`),
    ...places.flatMap(({ name }) => fileNames(`pages/${name}/`, '.css').map((file) => `pages/${name}/${file}`)),
  ]
  return [...fontStyles.map(fontFaces), ...names.map(readText)].join('\n')
}

/** The font faces of a package, which are registered as assets. */
function fontFaces(path: string): string {
  const text = readFileSync(require.resolve(path), 'utf8')
  return text.replaceAll(/url\(\.\/files\/([\w.-]+\.woff2)\)/g, (_, name: string) => {
    const body = readFileSync(require.resolve(`${path.slice(0, path.lastIndexOf('/'))}/files/${name}`))
    assets.set(name, { contentType: 'font/woff2', body, compressible: false, encodings: new Map() })
    versions.set(name, versionOf(body))
    return `url(${assetUrl(name)})`
  })
}

/** Reads a module and replaces its imports by asset URLs. */
function readScript(script: string): string {
  return readText(`scripts/${script}`).replaceAll(
    /(from |import\()'\.\/([\w-]+\.js)'/g,
    (_, before: string, name: string) => {
      return `${before}'./${name}?v=${versionOf(Buffer.from(readScript(name)))}'`
    },
  )
}

function fileNames(folder: string, ending: string): string[] {
  return readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(ending))
    .sort()
}

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

function versionOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 10)
}
