import { FileOutput } from '../../../reading/item-file-schema.ts'
import { respondFile } from '../../../transport/respond-file.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'

/** Mounts /books/{id}/download, the original file of a book, and /books/{id}/export, its text as a file. */
export function mountDownloads(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/download', (visit) =>
    sendFile(visit, { name: 'get_item_file', raw: { itemId: visit.params['id'] } }),
  )
  routes.signedInPage('GET', '/books/:id/export', (visit) =>
    sendFile(visit, {
      name: 'export_item',
      raw: { itemId: visit.params['id'], format: visit.url.searchParams.get('format') ?? '' },
    }),
  )
}

async function sendFile(visit: SignedInVisit, call: { name: string; raw: unknown }): Promise<Response> {
  const response = await respondFile(visit.request, await callToolForVisit(visit, call, FileOutput))
  for (const cookie of visit.setCookies) response.headers.append('Set-Cookie', cookie)
  return response
}
