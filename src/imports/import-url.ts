import { formatOf } from '../books/file-formats.ts'
import { AppError } from '../core/errors.ts'
import type { ConfirmedUpload, ImportUrl } from './schema.ts'
import { uploadFile } from './upload-file.ts'
import { fetchFile, type UrlServices } from './url/fetch-file.ts'

/**
 * Downloads a file from a URL and adds it, like `uploadFile` does with an uploaded one. Refuses with FORBIDDEN if the
 * server has downloads disabled, with INVALID_INPUT a URL that it does not fetch or that yields no file, and like
 * `uploadFile`.
 */
export async function importUrl(
  ctx: Parameters<typeof uploadFile>[0] & UrlServices,
  { url, filename, password }: ImportUrl,
): Promise<ConfirmedUpload> {
  if (ctx.urlImports.mode === 'off') throw switchedOff()
  const file = await fetchFile(url, ctx.urlImports, ctx.signal)
  const name = filename ?? file.filename
  try {
    if (file.isWebPage && formatOf(name) !== 'html') throw webPage()
    return await uploadFile(ctx, { filename: name, file, password })
  } finally {
    file.close()
  }
}

/** The address that people copy is often that of a page about the file, or leads to a sign-in page. */
function webPage(): AppError {
  const message = 'The address leads to a web page, not to the file itself'
  return new AppError(
    'INVALID_INPUT',
    `${message}. Open it in a browser and send the address of the download, or download the file and upload it.`,
  )
}

function switchedOff(): AppError {
  const message = 'This server fetches no files from addresses. Download the file and upload it'
  return new AppError('FORBIDDEN', `${message}; its administrator can change that with LECTERN_IMPORT_URL.`)
}
