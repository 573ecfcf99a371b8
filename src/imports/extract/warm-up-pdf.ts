/**
 * A complete PDF with one page. Reading it loads the PDF engine with its worker, fonts and tables, and compiles the
 * code that every book uses. Loading only the modules would leave two thirds of that time to the first book.
 */
export function warmUpPdf(): Uint8Array {
  const content =
    'BT /F1 24 Tf 72 700 Td (Heading) Tj /F1 10 Tf 0 -40 Td (A line of words.) Tj 0 -12 Td (And one more.) Tj ET'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.7\n'
  let xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const [at, object] of objects.entries()) {
    xref += `${String(file.length).padStart(10, '0')} 00000 n \n`
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return new TextEncoder().encode(file + xref + trailer)
}
