import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first; on two cores each takes ten seconds or more. */
const longest = [
  'e2e/kill-figures',
  'web/every-page',
  'e2e/fuzz',
  'admin/import',
  'e2e/store-loss',
  'imports/ocr/recognition-crash',
  'imports/extract/misbehaviour',
  'jobs/processes',
  'backup/every-change',
  'imports/ocr/recognised-books',
  'web/add-with-script',
  'backup/kill',
  'e2e/lost-replies',
  'e2e/kill',
  'web/docs-commands',
  'admin/book-add',
  'web/write',
  'admin/commands',
  'files/s3-faults',
  'imports/pictures/drawing',
  'deploy/image',
  'e2e/kill-marketplace',
  'imports/hostile',
  'e2e/rolling-upgrade',
  'admin/doctor',
  'jobs/overtaking',
  'imports/ocr/recognition-quality',
  'contracts/files',
  'mcp/largest-results',
  'backup/backup',
  'search/stripped-page',
  'maintenance/erase-account',
  'e2e/readme',
  'web/reader-browser',
  'books/return-during-deletion',
  'security/large-answers',
  'e2e/restarts',
  'backup/two-at-once',
  'e2e/oauth',
  'mcp/canaries',
  'web/library-journey',
  'imports/ocr/recognition-turns',
  'security/slow-bodies',
  'e2e/kill-shelves',
  'e2e/corpus',
  'openapi/generated-clients',
  'imports/lost-replies',
  'e2e/concurrent-writes',
  'oauth/oauth-errors',
  'jobs/endings',
  'cli/import-export',
  'web/reader',
  'books/stopped-create',
  'web/journeys',
  'tools/citations/check-citations',
  'imports/formats/pdf-hostile',
  'e2e/kill-writes',
  'imports/unfinished',
  'security/confined-extraction',
]

/** Starts the slowest files first, so that no worker runs one of them alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
