import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, longest first; on two cores each takes 20 seconds or more. */
const longest = [
  'web/every-page',
  'e2e/lost-replies',
  'evaluation/replay',
  'e2e/kill',
  'imports/lost-replies',
  'e2e/kill-shelves',
  'e2e/kill-marketplace',
  'mcp/largest-results',
  'e2e/fuzz',
  'jobs/processes',
  'e2e/oauth',
  'admin/commands',
  'admin/doctor',
  'mcp/canaries',
  'e2e/store-loss',
  'web/journeys',
  'e2e/restarts',
  'maintenance/erase-account',
  'imports/extract/misbehaviour',
  'evaluation/scorer',
  'e2e/kill-writes',
  'e2e/kill-teams',
  'e2e/readme',
  'e2e/concurrent-writes',
  'web/reader',
  'evaluation/live-loop',
  'jobs/endings',
  'e2e/corpus',
]

/** Starts the longest files first, so that none of them is the last that runs while the other workers wait. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
