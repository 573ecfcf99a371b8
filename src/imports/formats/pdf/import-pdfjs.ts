import { registerHooks } from 'node:module'
import type * as pdfjsModule from 'pdfjs-dist/legacy/build/pdf.mjs'

export type Pdfjs = typeof pdfjsModule

/** The package that pdf.js looks for to draw; it has native code, which a reading process may not load, and pdf.js never draws here. */
const canvasPackage = '@napi-rs/canvas'

/** Imports pdf.js, and its worker, which the first file would wait for; without looking for the package that draws. */
export async function importPdfjs(): Promise<Pdfjs> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === canvasPackage) throw new Error('it is not used')
      return next(specifier, context)
    },
  })
  try {
    const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs')
    // It registers itself in the global object.
    await import('pdfjs-dist/legacy/build/pdf.worker.mjs')
    return pdfjs
  } finally {
    hooks.deregister()
  }
}
