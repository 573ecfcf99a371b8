/** Hands background work to the workers. */
export interface Queue {
  /** Asks for job `id` to be run soon; asking twice runs it once. */
  enqueue(id: string): Promise<void>
}

export interface QueueServices {
  queue: Queue
}
