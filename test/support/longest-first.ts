import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest test files, slowest first; on two cores each takes 17 seconds or more. */
const longest = [
  'backup/every-change',
  'e2e/lost-replies',
  'web/every-page',
  'e2e/kill-figures',
  'imports/lost-replies',
  'imports/ocr/recognised-books',
  'e2e/kill',
  'backup/kill',
  'e2e/oauth',
  'e2e/fuzz',
  'jobs/processes',
  'mcp/largest-results',
  'deploy/image',
  'imports/ocr/recognition-crash',
  'imports/extract/misbehaviour',
  'imports/ocr/recognition-quality',
  'e2e/kill-marketplace',
  'admin/import',
  'admin/doctor',
  'e2e/restarts',
  'admin/commands',
  'openapi/generated-clients',
  'web/add-with-script',
  'backup/backup',
  'web/reader-browser',
  'imports/ocr/recognition-turns',
  'e2e/readme',
  'e2e/store-loss',
  'imports/hostile',
  'web/journeys',
  'maintenance/erase-account',
  'e2e/kill-shelves',
  'admin/book-add',
  'jobs/overtaking',
  'web/write',
  'web/reader',
  'e2e/kill-teams',
  'web/library-journey',
  'mcp/canaries',
  'e2e/rolling-upgrade',
  'e2e/authorization',
  'jobs/endings',
  'imports/pictures/drawing',
  'web/docs-commands',
  'files/s3-faults',
  'admin/connect/connect',
  'evaluation/live-loop',
  'e2e/kill-gaps',
  'e2e/concurrent-writes',
  'imports/unfinished',
  'mcp/left-out',
  'cli/import-export',
  'tools/citations/check-citations',
  'e2e/kill-writes',
  'e2e/corpus',
  'contracts/files',
  'backup/two-at-once',
  'security/large-answers',
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
