import { defaultLimits } from '../../src/imports/formats/format.ts'
import { openPdf } from '../../src/imports/formats/pdf/open-pdf.ts'
import { writePdf } from './pdf.ts'
import type { TestPdf } from './pdf.ts'

/** The Markdown of each page of a test PDF. */
export async function readPdf(pdf: TestPdf): Promise<string[]> {
  const book = await openPdf(writePdf(pdf), defaultLimits)
  const pages: string[] = []
  for await (const page of book.pages()) pages.push(page.content)
  await book.close()
  return pages
}

/** The Markdown of a PDF with one page. */
export async function readPdfPage(content: string): Promise<string> {
  const [page = ''] = await readPdf({ pages: [{ content }] })
  return page
}

/** The lines of a Markdown page that are headings. */
export function headingsOf(page: string | undefined): string[] {
  return (page ?? '').split('\n').filter((line) => line.startsWith('#'))
}
