/** Receives the tokens of an RTF file (RTF 1.9.1, "RTF Syntax"). */
export interface RtfTokens {
  openGroup(): void
  closeGroup(): void
  /** A control word with its optional number. */
  control(word: string, value: number | null): void
  /** A control symbol: one character that is not a letter. */
  symbol(character: string): void
  /** Bytes of text as Latin-1 characters; the font determines their encoding. */
  bytes(bytes: string): void
  /** Bytes of a picture or an object, as Latin-1 characters. */
  binary(bytes: string): void
}

const token = /[{}]|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|[^\\{}\r\n]+|[\r\n]+|\\/gy

/** Tokenizes an RTF file, whose bytes are the characters of `source`. Takes linear time. */
export function readRtfTokens(source: string, tokens: RtfTokens): void {
  token.lastIndex = 0
  for (let found = token.exec(source); found !== null; found = token.exec(source)) {
    const [whole, word, number, hex, symbol] = found
    if (word !== undefined) {
      const value = number === undefined ? null : Number(number)
      // This many raw bytes of a picture or an object follow.
      if (word === 'bin') {
        const from = token.lastIndex
        token.lastIndex += Math.max(0, Math.min(value ?? 0, source.length - from))
        tokens.binary(source.slice(from, token.lastIndex))
      } else tokens.control(word, value)
    } else if (hex !== undefined) tokens.bytes(String.fromCharCode(Number.parseInt(hex, 16)))
    else if (symbol !== undefined) tokens.symbol(symbol)
    else if (whole === '{') tokens.openGroup()
    else if (whole === '}') tokens.closeGroup()
    else if (!/^[\r\n\\]/.test(whole)) tokens.bytes(whole)
  }
}
