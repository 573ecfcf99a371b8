import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../../src/imports/formats/format.ts'
import { openZip } from '../../../src/imports/formats/zip/open-zip.ts'
import { zipBomb, rawZip } from '../../support/raw-zip.ts'
import type { RawEntry } from '../../support/raw-zip.ts'

const text = (name: string, content = name): RawEntry => ({ name, data: Buffer.from(content) })

/** `Übung.txt` in code page 437. */
const dosName = Buffer.from([0x9a, ...Buffer.from('bung.txt')])

/** The Info-ZIP Unicode Path extra field (APPNOTE.TXT 4.6.9). */
function unicodePath(name: string, of: Buffer): Buffer {
  const bytes = Buffer.from(name)
  const head = Buffer.alloc(9)
  head.writeUInt16LE(0x7075, 0)
  head.writeUInt16LE(bytes.length + 5, 2)
  head.writeUInt8(1, 4)
  head.writeUInt32LE(crc32(of), 5)
  return Buffer.concat([head, bytes])
}

describe('a zip archive', () => {
  test('returns the stored or deflated contents', async () => {
    const noise = randomBytes(300_000)
    const zip = new JSZip()
      .file('a/stored.bin', noise)
      .file('a/deflated.txt', 'text '.repeat(50_000), { compression: 'DEFLATE' })
    const archive = openZip(await zip.generateAsync({ type: 'uint8array' }), defaultLimits)
    expect(archive.paths).toEqual(['a/stored.bin', 'a/deflated.txt'])
    expect(Buffer.compare(await archive.read('a/stored.bin'), noise)).toBe(0)
    expect(Buffer.from(await archive.read('a/deflated.txt')).toString()).toBe('text '.repeat(50_000))
  })

  test('may have bytes before it', async () => {
    const archive = openZip(Buffer.concat([Buffer.from('#!/bin/sh\n'), rawZip([text('a')])]), defaultLimits)
    expect(Buffer.from(await archive.read('a')).toString()).toBe('a')
  })

  test('lists only names inside it', () => {
    const names = ['/etc/passwd', 'a\\b', './c', 'd//e', '...', '__proto__', 'constructor']
    const archive = openZip(rawZip(names.map((name) => text(name))), defaultLimits)
    expect(archive.paths.toSorted()).toEqual(['...', '__proto__', 'a/b', 'c', 'constructor', 'd/e', 'etc/passwd'])
  })

  test.for([
    ['UTF-8 without saying so', { encodedName: Buffer.from('Übung.txt') }],
    ['Latin-1', { encodedName: Buffer.from('Übung.txt', 'latin1') }],
    ['another encoding, and in UTF-8 beside it', { encodedName: dosName, extra: unicodePath('Übung.txt', dosName) }],
  ] as const)('a name may be in %s', async ([, name]) => {
    const archive = openZip(rawZip([{ ...text('Übung.txt'), claims: { flags: 0 }, ...name }]), defaultLimits)
    expect(archive.paths).toEqual(['Übung.txt'])
    expect(Buffer.from(await archive.read('Übung.txt')).toString()).toBe('Übung.txt')
  })

  test('a name in UTF-8 beside another name than the one of the entry does not count', () => {
    const extra = unicodePath('b', Buffer.from('c'))
    expect(openZip(rawZip([{ ...text('a'), extra }]), defaultLimits).paths).toEqual(['a'])
  })

  test('an entry with an unsupported compression is damaged, and the others are read', async () => {
    const archive = openZip(rawZip([{ ...text('a'), claims: { method: 12 } }, text('b')]), defaultLimits)
    await expect(archive.read('a')).rejects.toMatchObject({ code: 'BROKEN', message: /method 12/ })
    expect(Buffer.from(await archive.read('b')).toString()).toBe('b')
  })

  test('an entry may have exactly as many bytes as the limit, but no more', async () => {
    const bytes = rawZip([text('a', 'x'.repeat(1_000))])
    const exact = openZip(bytes, { ...defaultLimits, entryBytes: 1_000 })
    expect(await exact.read('a')).toHaveLength(1_000)
    const short = openZip(bytes, { ...defaultLimits, entryBytes: 999 })
    await expect(short.read('a')).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test('all entries that are read share one limit', async () => {
    const bytes = rawZip(['a', 'b', 'c'].map((name) => text(name, 'x'.repeat(400))))
    const archive = openZip(bytes, { ...defaultLimits, totalBytes: 1_000 })
    await archive.read('a')
    await archive.read('b')
    await expect(archive.read('c')).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })

  test.for([
    ['with a truthful size', {}],
    ['with a false size', { size: 1_000 }],
  ] as const)('an entry of 1 GiB %s is refused while it is unpacked', async ([, claims]) => {
    const entry = { name: 'bomb', data: zipBomb(), deflated: { size: 1024 ** 3, crc: 0 }, claims }
    const archive = openZip(rawZip([entry, text('other')]), defaultLimits)
    const before = process.memoryUsage().arrayBuffers
    await expect(archive.read('bomb')).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 * 1024 * 1024)
    expect(Buffer.from(await archive.read('other')).toString()).toBe('other')
  })

  test('an entry that unpacks to another size than declared is damaged', async () => {
    const archive = openZip(rawZip([{ ...text('a', 'x'.repeat(100)), claims: { size: 90 } }]), defaultLimits)
    await expect(archive.read('a')).rejects.toMatchObject({ code: 'BROKEN' })
  })

  test('an unknown path is BROKEN, not an empty file', async () => {
    const archive = openZip(rawZip([text('a')]), defaultLimits)
    await expect(archive.read('b')).rejects.toMatchObject({ code: 'BROKEN' })
  })

  test('10,000 entries are read, 60,000 refused', () => {
    const entries = Array.from({ length: 60_000 }, (_, index) => text(`${index}.txt`))
    expect(openZip(rawZip(entries.slice(0, 10_000)), defaultLimits).paths).toHaveLength(10_000)
    expect(() => openZip(rawZip(entries), defaultLimits)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  })

  const whole = rawZip([text('a', 'x'.repeat(5_000)), text('b', 'y'.repeat(5_000))])
  const claiming = (offset: number, change: (end: Buffer) => void): Buffer => {
    const bytes = Buffer.from(whole)
    change(bytes.subarray(bytes.length - 22 + offset))
    return bytes
  }
  test.for([
    [
      'more entries than its end record claims',
      rawZip(
        Array.from({ length: 21_000 }, (_, i) => text(`${i}`)),
        1,
      ),
      'TOO_LARGE',
    ],
    ['a ZIP64 directory', rawZip([text('a')], 0xffff), 'TOO_LARGE'],
    ['two entries with the same bytes', rawZip([text('a', 'x'.repeat(99)), { ...text('b'), offset: 0 }]), 'BROKEN'],
    [
      'an entry inside of another',
      rawZip([text('a', rawZip([text('inner')]).toString('latin1')), { ...text('b'), offset: 31 }]),
      'BROKEN',
    ],
    ['an entry that runs into the directory', rawZip([{ ...text('a'), claims: { compressedSize: 50 } }]), 'BROKEN'],
    ['an entry without a local header', rawZip([{ ...text('a'), offset: 7 }]), 'BROKEN'],
    ['an encrypted entry', rawZip([{ ...text('a'), claims: { flags: 1 } }]), 'ENCRYPTED'],
    ['its second half missing', whole.subarray(0, whole.length / 2), 'BROKEN'],
    ['its first half missing', whole.subarray(whole.length / 2), 'BROKEN'],
    ['a name that leaves it', rawZip([text('a'), text('../a')]), 'BROKEN'],
    ['a name that leaves it by backslashes', rawZip([text('b\\..\\..\\a')]), 'BROKEN'],
    ['several volumes', claiming(4, (end) => end.writeUInt16LE(1)), 'BROKEN'],
    ['a directory beyond its end', claiming(16, (end) => end.writeUInt32LE(0x7fffffff)), 'BROKEN'],
    ['no bytes at all', Buffer.alloc(0), 'BROKEN'],
    ['random bytes', randomBytes(100_000), 'BROKEN'],
  ] as const)('a file with %s is refused', ([, bytes, code]) => {
    expect(() => openZip(bytes, defaultLimits)).toThrow(expect.objectContaining({ name: 'FormatError', code }))
  })

  test('flipped bytes yield content or a reason, never another error', async () => {
    for (let at = 0; at < whole.length; at += 61) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 0xff
      const reading = readAll(bytes)
      await reading.catch((error: unknown) => expect(error).toMatchObject({ name: 'FormatError' }))
    }
  })
})

async function readAll(bytes: Uint8Array): Promise<Uint8Array[]> {
  const { paths, read } = openZip(bytes, defaultLimits)
  return Promise.all(paths.map(read))
}
