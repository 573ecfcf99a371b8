/** Created with the first name, because it takes longer to load than many modules. */
let names: Intl.DisplayNames | undefined

/** The English name of a BCP 47 tag; the tag itself if it has none. */
export function languageName(tag: string): string {
  try {
    names ??= new Intl.DisplayNames(['en-GB'], { type: 'language' })
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}
