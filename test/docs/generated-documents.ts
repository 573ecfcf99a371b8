import { renderCommandTable } from './cli-commands.ts'
import { renderCliPage } from './cli-page.ts'
import { renderDecisionsPage } from './decisions-page.ts'
import { renderErrorsPage } from './errors-page.ts'
import { renderIconPaths } from './icon-paths.ts'
import { renderManPage } from './man-page.ts'
import type { Document } from './read-documents.ts'
import { renderToolsPage } from './tools-page.ts'

/** Returns the expected content of the documents that are derived from declarations and packages. */
export function renderDocuments(): Document[] {
  return [
    { path: 'docs/tools.md', text: renderToolsPage() },
    { path: 'docs/cli.md', text: renderCliPage() },
    { path: 'man/lectern.1', text: renderManPage() },
    { path: 'src/cli/commands.json', text: renderCommandTable() },
    { path: 'docs/errors.md', text: renderErrorsPage() },
    { path: 'docs/decisions/README.md', text: renderDecisionsPage() },
    { path: 'src/web/components/icon-paths.ts', text: renderIconPaths() },
  ]
}
