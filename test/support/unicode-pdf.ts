import { assemblePdf } from './pdf.ts'

/**
 * A PDF with one page in a Type 0 font, F1, with two-byte codes. `mapping` is the part of its ToUnicode map with the text
 * of the codes; by default they are Unicode code units. Its characters are `width` thousandths of an
 * em wide, except spaces, and `marks`, which have no width.
 */
export function writeUnicodePdf(
  content: string,
  mapping = '1 beginbfrange <0000> <ffff> <0000> endbfrange',
  { width = 500, marks = '' } = {},
): Uint8Array {
  const widths = Array.from(marks, (mark) => `${mark.charCodeAt(0)} [0]`).join(' ')
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange ${mapping} endcmap end end`
  return assemblePdf(
    new Map<number, string>([
      [1, '<< /Type /Catalog /Pages 2 0 R >>'],
      [2, '<< /Type /Pages /Count 1 /Kids [4 0 R] >>'],
      [3, '<< >>'],
      [
        4,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 6 0 R >> >> /Contents 5 0 R >>',
      ],
      [5, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
      [
        6,
        `<< /Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 9 0 R >>`,
      ],
      [
        7,
        `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW ${width} /W [32 [500] ${widths}] /FontDescriptor 8 0 R >>`,
      ],
      [
        8,
        '<< /Type /FontDescriptor /FontName /Made /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
      ],
      [9, `<< /Length ${map.length} >>\nstream\n${map}\nendstream`],
    ]),
  )
}

/** The codes of a text in this font, as a hexadecimal string of a content stream. */
export function codesOf(text: string): string {
  return `<${Array.from(text, (sign) => sign.charCodeAt(0).toString(16).padStart(4, '0')).join('')}>`
}
