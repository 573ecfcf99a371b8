/**
 * The process cannot start because of its environment. The message is a sentence that gives the reason and the remedy.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
