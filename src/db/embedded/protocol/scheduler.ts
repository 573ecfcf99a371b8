import { encode } from '../bson/bytes.ts'
import type { Engine } from '../commands/command.ts'
import type { Reply } from '../commands/reply.ts'
import { timeExceeded } from '../engine/execute.ts'
import { CommandError } from '../errors/command-error.ts'
import type { GroupCommit } from '../storage/group-commit.ts'
import type { Retries } from '../storage/retries.ts'
import { errorReply } from './error-reply.ts'
import { prepare } from './prepare.ts'
import type { Prepared } from './prepare.ts'
import type { Request } from './wire.ts'

/** A request and the destination of its reply. Requests of one connection are answered in order. */
export type Job = {
  request: Request
  answer: (document: Uint8Array) => void
  /** True if the client has disconnected. */
  hasDisconnected: () => boolean
}

/** A reply that is sent after the commit. */
type PendingReply = {
  job: Job
  document: Uint8Array
  /** The reply if the commit fails; absent for commands that fail with it. */
  afterFailure?: () => Uint8Array
}

type Background = { background: () => void }
type Task = Job | Background

export type SchedulerParts = {
  engine: Engine
  commits: GroupCommit
  retries: Retries
  /** Receives errors other than refusals. */
  log: (error: unknown) => void
}

/**
 * Maximum time of a turn, ms. Then the scheduler checks for new requests and disconnected clients before it runs the
 * next command.
 */
const maxTurnMs = 50

/**
 * Runs commands one at a time in the order of arrival. Commands that have arrived since the last turn share one SQLite
 * commit and are answered after it. Each has its own savepoint, so that a failed command is rolled back alone. A read
 * is skipped if its client has disconnected; a write always runs.
 */
export class Scheduler {
  readonly #parts: SchedulerParts
  #queue: Task[] = []
  #scheduled = false
  #replies: PendingReply[] = []

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  submit(job: Job): void {
    this.#enqueue(job)
  }

  /** Runs internal work between commands, in a savepoint of their SQLite transaction. */
  submitBackground(background: () => void): void {
    this.#enqueue({ background })
  }

  /** True if the queue is empty. */
  get idle(): boolean {
    return this.#queue.length === 0
  }

  #enqueue(task: Task): void {
    this.#queue.push(task)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // After the poll phase, the queue contains everything that has arrived at the sockets.
    setImmediate(() => {
      this.#scheduled = false
      this.#drain()
    })
  }

  #drain(): void {
    const tasks = this.#queue
    this.#queue = []
    const end = performance.now() + maxTurnMs
    for (const [at, task] of tasks.entries()) {
      if (at > 0 && performance.now() > end) {
        this.#queue.push(...tasks.slice(at))
        this.#schedule()
        break
      }
      if ('background' in task) this.#runBackground(task)
      else this.#runJob(task)
    }
    this.#flush()
  }

  #runBackground({ background }: Background): void {
    try {
      this.#parts.commits.savepoint(background, { synced: false })
    } catch (error) {
      this.#failure(error)
    }
  }

  #runJob(job: Job): void {
    try {
      const prepared = prepare(this.#parts.engine, job.request)
      const { kind } = prepared.command
      if (kind === 'write') this.#runWrite(job, prepared)
      else if (kind === 'none') this.#runWithoutData(job, prepared)
      else if (!job.hasDisconnected()) this.#runRead(job, prepared)
    } catch (error) {
      this.#reply(job, this.#failure(error))
    }
  }

  #runWithoutData(job: Job, prepared: Prepared): void {
    const document = run(prepared)
    this.#replies.push({ job, document, afterFailure: () => document })
  }

  /** Runs a read. It may see writes that are not committed, so it is run again if the commit fails. */
  #runRead(job: Job, prepared: Prepared): void {
    const read = () => this.#parts.commits.read(() => run(prepared))
    const document = read()
    // A cursor has already moved on.
    if (prepared.call.name === 'getMore') this.#reply(job, document)
    else this.#replies.push({ job, document, afterFailure: read })
  }

  #runWrite(job: Job, prepared: Prepared): void {
    const { synced } = prepared
    this.#reply(
      job,
      this.#parts.commits.savepoint(() => this.#runOnce(prepared), { synced }),
    )
  }

  /**
   * Runs a write. A numbered write that has been answered before is not run again and gets the same answer. One that has changed nothing
   * is not recorded: then the commit need not wait for the disk, and a repetition runs like the first attempt.
   */
  #runOnce(prepared: Prepared): Uint8Array {
    const { retries, engine } = this.#parts
    const { call, number } = prepared
    if (call.session === undefined || number === undefined) return run(prepared)
    const before = retries.find(call.session, number)
    if (before) return before
    const changes = engine.connection.totalChanges
    const reply = run(prepared)
    if (engine.connection.totalChanges !== changes) retries.save(call.session, number, reply)
    return reply
  }

  #failure(error: unknown): Uint8Array {
    if (!(error instanceof CommandError)) this.#parts.log(error)
    return errorReply(error)
  }

  #reply(job: Job, document: Uint8Array): void {
    this.#replies.push({ job, document })
  }

  /** Commits pending writes and sends the replies that wait for the commit. */
  #flush(): void {
    const replies = this.#replies
    this.#replies = []
    const failure = this.#commit()
    for (const { job, document, afterFailure } of replies) {
      if (failure === undefined) job.answer(document)
      else job.answer(afterFailure ? this.#attempt(afterFailure) : failure)
    }
    // Ends the transaction of the reads that were run again.
    if (failure !== undefined) this.#commit()
  }

  /** Commits; returns the reply of the commands that are lost if that fails. */
  #commit(): Uint8Array | undefined {
    try {
      this.#parts.commits.commit()
      return undefined
    } catch (error) {
      return this.#failure(error)
    }
  }

  #attempt(work: () => Uint8Array): Uint8Array {
    try {
      return work()
    } catch (error) {
      return this.#failure(error)
    }
  }
}

function run({ command, call }: Prepared): Uint8Array {
  if (call.deadline !== undefined && Date.now() > call.deadline) throw timeExceeded()
  return encodeReply(command.run(call))
}

function encodeReply(reply: Reply): Uint8Array {
  return reply instanceof Uint8Array ? reply : encode(reply)
}
