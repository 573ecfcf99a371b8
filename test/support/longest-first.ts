import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first; on two cores each takes 15 seconds or more. */
const longest = [
  'web/every-page',
  'e2e/kill-figures',
  'e2e/fuzz',
  'admin/import',
  'imports/ocr/recognised-books',
  'e2e/lost-replies',
  'backup/kill',
  'backup/every-change',
  'jobs/processes',
  'e2e/kill',
  'imports/extract/misbehaviour',
  'web/add-with-script',
  'e2e/oauth',
  'mcp/largest-results',
  'e2e/store-loss',
  'deploy/image',
  'imports/ocr/recognition-quality',
  'admin/commands',
  'e2e/restarts',
  'web/docs-commands',
  'backup/backup',
  'mcp/canaries',
  'web/library-journey',
  'imports/unfinished',
  'admin/book-add',
  'e2e/kill-marketplace',
  'e2e/kill-shelves',
  'web/write',
  'imports/ocr/recognition-crash',
  'imports/ocr/recognition-turns',
  'web/reader-browser',
  'jobs/overtaking',
  'openapi/generated-clients',
  'imports/pictures/drawing',
  'e2e/kill-teams',
  'e2e/corpus',
  'admin/doctor',
  'files/s3-faults',
  'e2e/rolling-upgrade',
  'e2e/concurrent-writes',
  'maintenance/erase-account',
  'admin/connect/connect',
  'imports/hostile',
  'e2e/readme',
  'e2e/kill-writes',
  'backup/two-at-once',
  'security/large-answers',
  'web/add',
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
