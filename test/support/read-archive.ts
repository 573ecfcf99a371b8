import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import type { Manifest } from '../../src/export/archive.ts'
import type { Person, TestServer } from './server.ts'

/** The files of a ZIP archive by path, in archive order. */
async function readZip(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(Buffer.from(bytes), { strictFileNames: true })
  const files = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  return files
}

export interface ReadExport {
  bytes: Buffer
  files: Map<string, Buffer>
  manifest: Manifest
  /** Parses a JSON file; throws if it is missing. */
  json(path: string): any
}

/** Requests the export of a person over REST. */
export function requestExport(
  server: Pick<TestServer, 'baseUrl'>,
  { key }: Pick<Person, 'key'>,
  init: RequestInit = {},
) {
  return fetch(`${server.baseUrl}/api/v1/account/export`, { headers: { Authorization: `Bearer ${key}` }, ...init })
}

/** Requests and parses the export of a person. */
export async function readExport(
  server: Pick<TestServer, 'baseUrl'>,
  person: Pick<Person, 'key'>,
): Promise<ReadExport> {
  const response = await requestExport(server, person)
  if (response.status !== 200) throw new Error(await response.text())
  return readArchive(Buffer.from(await response.arrayBuffer()))
}

/** Parses an export. */
export async function readArchive(bytes: Buffer): Promise<ReadExport> {
  const files = await readZip(bytes)
  const json = (path: string) => {
    const file = files.get(path)
    if (!file) throw new Error(`there is no ${path} in ${[...files.keys()].join(', ')}`)
    return JSON.parse(file.toString())
  }
  return { bytes, files, manifest: json('manifest.json') as Manifest, json }
}
