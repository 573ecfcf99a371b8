/** The queue of background jobs. */
export interface Queue {
  /** Queues job `id` to run soon; queueing it twice runs it once. */
  enqueue(id: string): Promise<void>
}

export interface QueueServices {
  queue: Queue
}
