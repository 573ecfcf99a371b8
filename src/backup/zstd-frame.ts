/** Follows a Zstandard frame without decompressing it; throws for malformed data. */
export interface FrameFollower {
  /** Takes the next bytes of the stream; returns the number of them that belong to the first frame. */
  push(chunk: Uint8Array): number
  /** True if the bytes so far form a complete frame with a content checksum. */
  isWhole(): boolean
}

const magic = 0xfd2fb528
/** The low half of the XXH64 of empty input. */
const emptyChecksum = 0x51d8e999
/** Sizes of frame header fields by their two-bit code, bytes. */
const dictionaryIdBytes = [0, 1, 2, 4]
const contentSizeBytes = [0, 2, 4, 8]

type Step = 'magic' | 'descriptor' | 'header' | 'block' | 'content' | 'checksum'

/**
 * Node's decompressor treats the end of its input as the end of a frame, and ignores trailing data only within a chunk.
 * This parser reads the headers of frames and blocks (RFC 8878, 3.1.1). So it detects a frame that is truncated by even
 * one byte, and trailing data. Trailing empty frames are allowed, because Node's compressor can add one. A frame
 * without a checksum counts as incomplete.
 */
export function followFrame(): FrameFollower {
  let [step, left, value, read]: [Step, number, number, number] = ['magic', 4, 0, 0]
  let [isLast, isSingle, hasChecksum, frames] = [false, false, false, 0]
  const go = (next: Step, bytes: number) => {
    ;[step, left, value, read] = [next, bytes, 0, 0]
  }
  /** Nothing else checks the data after the first frame. */
  const requireEmpty = (isEmptyFrame: boolean) => {
    if (frames > 0 && !isEmptyFrame) throw new Error('there is other data after its end')
  }
  const endStep = () => {
    if (step === 'magic') {
      if (value !== magic && frames === 0) throw new Error('it is not compressed with Zstandard')
      requireEmpty(value === magic)
      go('descriptor', 1)
    } else if (step === 'descriptor') {
      hasChecksum = (value & 4) !== 0
      isSingle = isSingleSegment(value)
      requireEmpty((value & 24) === 0 && hasChecksum)
      go('header', headerBytes(value))
    } else if (step === 'header') {
      requireEmpty(!isSingle || value === 0)
      go('block', 3)
    } else if (step === 'block') {
      isLast = (value & 1) === 1
      const isRepeatedByte = ((value >> 1) & 3) === 1
      requireEmpty(value === 1)
      go('content', isRepeatedByte ? 1 : value >> 3)
    } else if (step === 'content') {
      if (isLast) go('checksum', hasChecksum ? 4 : 0)
      else go('block', 3)
    } else {
      requireEmpty(value === emptyChecksum)
      frames += 1
      go('magic', 4)
    }
  }
  return {
    push(chunk) {
      let [at, ofFirst] = [0, frames === 0 ? chunk.length : 0]
      for (;;) {
        if (left === 0) {
          const isInFirst = frames === 0
          endStep()
          if (isInFirst && frames > 0) ofFirst = at
          continue
        }
        if (at === chunk.length) return ofFirst
        const length = Math.min(left, chunk.length - at)
        if (step !== 'content')
          for (const byte of chunk.subarray(at, at + length)) value = (value + byte * 2 ** (8 * read++)) >>> 0
        at += length
        left -= length
      }
    },
    isWhole: () => frames > 0 && hasChecksum && step === 'magic' && read === 0,
  }
}

function isSingleSegment(descriptor: number): boolean {
  return (descriptor & 32) !== 0
}

/** The number of bytes between the descriptor of a frame and its first block. */
function headerBytes(descriptor: number): number {
  const isSingle = isSingleSegment(descriptor)
  const sizeCode = descriptor >> 6
  const sizeBytes = sizeCode === 0 && isSingle ? 1 : (contentSizeBytes[sizeCode] ?? 0)
  return (isSingle ? 0 : 1) + (dictionaryIdBytes[descriptor & 3] ?? 0) + sizeBytes
}
