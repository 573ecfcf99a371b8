/** A process cannot start for a reason outside of the program. The message is a sentence that says why and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
