/** Formats a value as indented JSON. */
export async function* jsonFile(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** Streams a list of JSON values, one per line; calls `onEach` for each. */
export async function* jsonList(values: AsyncIterable<unknown>, onEach: () => void): AsyncGenerator<Uint8Array> {
  let before = '[\n'
  for await (const value of values) {
    onEach()
    yield Buffer.from(before + JSON.stringify(value))
    before = ',\n'
  }
  yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n')
}
