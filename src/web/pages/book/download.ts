import { respondDownload } from '../../respond-download.ts'
import type { PageRoutes } from '../../routes.ts'

/** Mounts /books/{id}/download, the original file of a book, and /books/{id}/export, its text as a file. */
export function mountDownloads(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/download', (visit) =>
    respondDownload(visit, { name: 'get_item_file', raw: { itemId: visit.params['id'] } }),
  )
  routes.signedInPage('GET', '/books/:id/export', (visit) =>
    respondDownload(visit, {
      name: 'export_item',
      raw: { itemId: visit.params['id'], format: visit.url.searchParams.get('format') ?? '' },
    }),
  )
}
