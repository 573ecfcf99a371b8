import type { Context } from '../core/context.ts'
import { pageRefs } from '../reading/store.ts'
import { type Manifest } from '../reading/manifest.ts'

/** The text of the pages `from` to `to` of a version. */
export async function pageTexts(
  { contents }: Pick<Context, 'contents'>,
  manifest: Manifest,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const stored = await contents.pages([...pageRefs(manifest, from, to)])
  return stored.map(({ content }) => content)
}
