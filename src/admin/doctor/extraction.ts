import { networkIsolation } from '../../imports/extract/confinement.ts'
import type { Check } from './check.ts'

/** Not a failure: many containers forbid namespaces, and the other limits of the process are effective. */
export const extraction: Check = {
  name: 'extraction',
  invariant: 'uploaded files are read in processes without a network',
  run: () => Promise.resolve([]),
  caveat: () =>
    networkIsolation() === null
      ? 'uploaded files are read in processes that can reach the network: this system has no `unshare`, or forbids it a network namespace'
      : null,
}
