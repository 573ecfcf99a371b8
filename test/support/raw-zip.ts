import { crc32, deflateRawSync, constants } from 'node:zlib'

/** One entry of a zip file; omitted fields get their true values. */
export interface RawEntry {
  name: string
  data: Uint8Array
  /** Set if `data` is already compressed: its unpacked size and checksum. */
  deflated?: { size: number; crc: number }
  /** False sizes, flags and compression methods for the headers. */
  claims?: { size?: number; compressedSize?: number; flags?: number; method?: number }
  /** The bytes of its name, if they are not the UTF-8 of `name`. */
  encodedName?: Buffer
  /** Extra fields for the directory. */
  extra?: Buffer
  /** A false offset of the local header for the directory. */
  offset?: number
}

/**
 * Creates a zip file byte by byte, so that tests can falsify it. `count` is the number of entries in its end record.
 */
export function rawZip(entries: readonly RawEntry[], count = entries.length): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const name = entry.encodedName ?? Buffer.from(entry.name)
    const extra = entry.extra ?? Buffer.alloc(0)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(entry.claims?.flags ?? 0x0800, 2)
    fields.writeUInt16LE(entry.claims?.method ?? (entry.deflated === undefined ? 0 : 8), 4)
    fields.writeUInt32LE(entry.deflated?.crc ?? crc32(entry.data), 10)
    fields.writeUInt32LE(entry.claims?.compressedSize ?? entry.data.length, 14)
    fields.writeUInt32LE(entry.claims?.size ?? entry.deflated?.size ?? entry.data.length, 18)
    fields.writeUInt16LE(name.length, 22)
    local.push(Buffer.from('PK\x03\x04', 'latin1'), fields, name, Buffer.from(entry.data))
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(entry.offset ?? offset, 10)
    const centralFields = Buffer.from(fields)
    centralFields.writeUInt16LE(extra.length, 24)
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), centralFields, rest, name, extra)
    offset += 30 + name.length + entry.data.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Math.min(count, 0xffff), 4)
  end.writeUInt16LE(Math.min(count, 0xffff), 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06', 'latin1'), end])
}

/** A megabyte of data that unpacks to 1 GiB of zeros, created quickly by repeating one block of the stream. */
export function zipBomb(): Buffer {
  const block = deflateRawSync(Buffer.alloc(16 * 1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([...Array.from({ length: 64 }, () => block), Buffer.from([0x03, 0x00])])
}
