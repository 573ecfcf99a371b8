import type { TestServer } from '../../support/server.ts'
import type { Cast, Made } from './calls.ts'
import type { Recorder } from './recorder.ts'

export interface Stage {
  server: TestServer
  cast: Cast
  made: Made
  recorder: Recorder
}

export async function playRefusals(_: Stage): Promise<void> {}
