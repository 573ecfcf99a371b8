import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { openPdf } from './src/imports/formats/pdf/open-pdf.ts'
import { defaultLimits } from './src/imports/formats/format.ts'
import { findFigureMarkers } from './src/text/figure-markers.ts'
mkdirSync('/tmp/p3-out', { recursive: true })
for (const f of process.argv.slice(2)) {
  try {
  const name = f.split('/').at(-1)!.slice(0, 14)
  const list: string[] = []; let b = 0
  const t = performance.now()
  const book = await openPdf(readFileSync(f), defaultLimits, async (x) => { b += x.bytes.length; list.push(`${x.width}x${x.height} ${x.mediaType.slice(6)} ${x.bytes.length}`); writeFileSync(`/tmp/p3-out/${name}-${list.length}.${x.mediaType.slice(6)}`, x.bytes) })
  let n = 0; const marks: string[] = []
  for await (const p of book.pages()) { n++; for (const m of findFigureMarkers(p.content)) marks.push(`p${n}:${m.caption.slice(0, 40)}`) }
  const ms = performance.now() - t
  await book.close()
  console.log(name, n, 'pages', ms.toFixed(0), 'ms', list.length, 'figures', b, 'bytes', marks.length, 'markers', list.slice(0, 5), marks.slice(0, 8))
  } catch (e) { console.log(f, String(e).slice(0, 100)) }
}
