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
  try {
    return await uploadFile(ctx, { filename: filename ?? file.filename, file, password })
  } finally {
    file.close()
  }
}

function switchedOff(): AppError {
  const message = 'This server fetches no files from addresses. Download the file and upload it'
  return new AppError('FORBIDDEN', `${message}; its administrator can change that with LECTERN_IMPORT_URL.`)
}
