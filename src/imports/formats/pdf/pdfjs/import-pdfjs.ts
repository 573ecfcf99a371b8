import { registerHooks } from 'node:module'
import type * as pdfjsModule from 'pdfjs-dist/legacy/build/pdf.mjs'

export type Pdfjs = typeof pdfjsModule

/**
 * The package with which pdf.js renders. It contains native code, which a reading process may not load, and pdf.js
 * never renders here.
 */
const canvasPackage = '@napi-rs/canvas'

/**
 * Imports pdf.js without its rendering package. Also imports its worker, so that the first file does not wait for it.
 */
export async function importPdfjs(): Promise<Pdfjs> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === canvasPackage) throw new Error('it is not used')
      return next(specifier, context)
    },
  })
  try {
    const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs')
    // The worker registers itself in the global object.
    await import('pdfjs-dist/legacy/build/pdf.worker.mjs')
    return pdfjs
  } finally {
    hooks.deregister()
  }
}
