const names: ReadonlySet<string> = new Set(
  `heading överskrift overskrift rubrik otsikko pealkiri virsraksts antraštė überschrift kop titre título títol titolo
  titlu nagłówek nadpis címsor naslov заголовок заглавие επικεφαλίδα başlık judul כותרת عنوان 标题 標題 見出し 제목`.split(
    /\s+/,
  ),
)

/** The level of a heading by the name of its style, such as `Heading 2` or `标题 2`; null for other styles. */
export function levelOfHeadingName(name: string): number | null {
  const [, word = '', level] = /^(\p{L}+)\s*([1-9])$/u.exec(name) ?? []
  return names.has(word.toLowerCase()) ? Number(level) : null
}
