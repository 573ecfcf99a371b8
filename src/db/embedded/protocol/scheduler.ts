import { Double } from 'bson'
import { encode } from '../bson/bytes.ts'
import type { Engine } from '../commands/command.ts'
import { errorReply } from './error-reply.ts'
import { CommandError } from '../errors/command-error.ts'
import type { GroupCommit } from '../storage/group-commit.ts'
import type { Job } from './job.ts'
import { prepare } from './prepare.ts'
import type { Prepared } from './prepare.ts'
import { timeExceeded } from '../engine/query.ts'
import type { Reply } from '../commands/reply.ts'
import type { Retries } from '../storage/retries.ts'
import type { Transactions } from '../engine/transactions.ts'

type Background = { background: () => void }
type Task = Job | Background

export type SchedulerParts = {
  engine: Engine
  commits: GroupCommit
  transactions: Transactions
  retries: Retries
  /** Told of errors that are no refusals. */
  log: (error: unknown) => void
}

/** After this long it is looked whether more has arrived, and who has gone, before the next command is run. */
const turnMs = 50

/**
 * Runs commands one after the other. All that have arrived since the last time share one SQLite commit and are answered
 * after it; each has its own savepoint, so one that fails is undone alone. A read whose client has gone is not run, a write
 * that has arrived is.
 */
export class Scheduler {
  readonly #parts: SchedulerParts
  #queue: Task[] = []
  /** What waits for the end of a multi-document transaction. */
  #parked: Task[] = []
  #scheduled = false
  #replies: { job: Job; document: Uint8Array }[] = []

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  submit(job: Job): void {
    this.#enqueue(job)
  }

  /** Runs a piece of work of our own among the commands, in a savepoint of their SQLite transaction. */
  submitBackground(background: () => void): void {
    this.#enqueue({ background })
  }

  /** True when nothing waits to be run. */
  get idle(): boolean {
    return this.#queue.length === 0 && this.#parked.length === 0
  }

  /** Aborts a transaction that has taken too long. */
  expire(now: number): void {
    if (this.#parts.transactions.expire(now, this.#parked.length > 0)) this.#unpark()
  }

  #enqueue(task: Task): void {
    this.#queue.push(task)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // After the poll phase: everything that sockets had for us is in the queue by then.
    setImmediate(() => {
      this.#scheduled = false
      this.#drain()
    })
  }

  #drain(): void {
    const tasks = this.#queue
    this.#queue = []
    const waiting = new Set(this.#parked.map((task) => ('source' in task ? task.source : undefined)))
    waiting.delete(undefined)
    const end = performance.now() + turnMs
    for (const [at, task] of tasks.entries()) {
      if (at > 0 && performance.now() > end) {
        this.#queue.push(...tasks.slice(at))
        this.#schedule()
        break
      }
      const source = 'source' in task ? task.source : undefined
      if ((source && waiting.has(source)) || !this.#run(task)) {
        if (source) waiting.add(source)
        this.#parked.push(task)
      }
    }
    this.#flush()
  }

  /** False when the task has to wait for the end of the open transaction. */
  #run(task: Task): boolean {
    if ('background' in task) {
      if (this.#parts.transactions.isOpen) return false
      this.#savepoint(
        false,
        () => task.background(),
        () => undefined,
      )
      return true
    }
    let prepared: Prepared
    try {
      prepared = prepare(this.#parts.engine, task.request)
    } catch (error) {
      this.#reply(task, this.#failure(error))
      return true
    }
    if (prepared.transaction) return this.#runInTransaction(task, prepared)
    if (prepared.command.kind === 'write') return this.#runWrite(task, prepared)
    if (prepared.command.kind === 'read' && task.gone()) return true
    const { transactions, engine } = this.#parts
    prepared.call.view.connection = transactions.isOpen ? engine.storage.reader : engine.storage.writer
    this.#attempt(task, () => encodeReply(prepared.command.run(prepared.call)))
    return true
  }

  #runWrite(job: Job, prepared: Prepared): boolean {
    if (this.#parts.transactions.isOpen) return false
    const { call, number, synced } = prepared
    this.#savepoint(
      synced,
      () => this.#reply(job, call.session !== undefined && number !== undefined ? this.#once(prepared) : run(prepared)),
      (document) => this.#reply(job, document),
    )
    return true
  }

  /** Runs a numbered write, unless it has been answered before. */
  #once({ command, call, number = 0 }: Prepared): Uint8Array {
    const { retries } = this.#parts
    const session = call.session ?? ''
    const before = retries.find(session, number)
    if (before) return before
    const reply = run({ command, call })
    retries.save(session, number, reply)
    return reply
  }

  #savepoint(synced: boolean, work: () => void, failed: (document: Uint8Array) => void): void {
    try {
      this.#parts.commits.savepoint(work, { synced })
    } catch (error) {
      failed(this.#failure(error))
    }
  }

  #runInTransaction(job: Job, prepared: Prepared): boolean {
    const { transactions } = this.#parts
    const { call, number = 0, transaction } = prepared
    const session = call.session ?? ''
    if (transaction?.starts && transactions.isOpen && !transactions.isCurrent(session, number)) return false
    this.#attempt(job, () => {
      if (transaction?.starts && !transactions.isOpen) {
        this.#flush()
        transactions.start(session, number)
      }
      if (call.name === 'commitTransaction' || call.name === 'abortTransaction') return this.#endTransaction(prepared)
      transactions.continue(session, number)
      return this.#runPart(prepared)
    })
    return true
  }

  /** Any error ends the transaction, also one that only a statement of the command reports. */
  #runPart({ command, call }: Prepared): Uint8Array {
    try {
      const reply = command.run(call)
      if (!(reply instanceof Uint8Array) && reply.writeErrors !== undefined) this.#abandon()
      return encodeReply(reply)
    } catch (error) {
      this.#abandon()
      throw error
    }
  }

  #endTransaction({ call, number = 0 }: Prepared): Uint8Array {
    const { transactions } = this.#parts
    const reply = encode({ ok: new Double(1) })
    try {
      if (call.name === 'commitTransaction') transactions.commit(call.session ?? '', number, reply)
      else transactions.abort(call.session ?? '', number)
    } finally {
      this.#unpark()
    }
    return reply
  }

  #abandon(): void {
    this.#parts.transactions.abandon()
    this.#unpark()
  }

  #unpark(): void {
    if (this.#parts.transactions.isOpen || this.#parked.length === 0) return
    this.#queue.unshift(...this.#parked)
    this.#parked = []
    this.#schedule()
  }

  #attempt(job: Job, work: () => Uint8Array): void {
    try {
      this.#reply(job, work())
    } catch (error) {
      this.#reply(job, this.#failure(error))
    }
  }

  #failure(error: unknown): Uint8Array {
    if (!(error instanceof CommandError)) this.#parts.log(error)
    return errorReply(error)
  }

  #reply(job: Job, document: Uint8Array): void {
    this.#replies.push({ job, document })
  }

  /** Commits what has been written and sends the replies that wait for it. */
  #flush(): void {
    const replies = this.#replies
    this.#replies = []
    let failure: Uint8Array | undefined
    try {
      if (!this.#parts.transactions.isOpen) this.#parts.commits.commit()
    } catch (error) {
      failure = this.#failure(error)
    }
    for (const { job, document } of replies) job.answer(failure ?? document)
  }
}

function run({ command, call }: Pick<Prepared, 'command' | 'call'>): Uint8Array {
  if (call.deadline !== undefined && Date.now() > call.deadline) throw timeExceeded()
  return encodeReply(command.run(call))
}

function encodeReply(reply: Reply): Uint8Array {
  return reply instanceof Uint8Array ? reply : encode(reply)
}
