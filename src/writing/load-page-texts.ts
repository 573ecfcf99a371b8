import { pageRefs } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'
import type { ContentStores } from '../reading/store.ts'

/** Returns the text of the pages `from` to `to` of a version. */
export async function loadPageTexts(
  { contents }: ContentStores,
  manifest: Manifest,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const stored = await contents.getPages([...pageRefs(manifest, from, to)])
  return stored.map(({ content }) => content)
}
