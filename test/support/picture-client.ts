import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { sniffPicture } from '../../src/imports/formats/picture/sniff-picture.ts'
import type { TestServer } from './server.ts'
import { signedInPerson, type WebPerson } from './signed-in-person.ts'

export interface PictureAnswer {
  status: number
  headers: Headers
  bytes: Buffer
  /** Determined by its bytes; null: not a picture of a known type. */
  picture: ReturnType<typeof sniffPicture>
}

/** A person with an API key and a browser that loads pictures. */
export interface PictureReader extends WebPerson {
  id: string
  key: string
  load(path: string, headers?: Record<string, string>): Promise<PictureAnswer>
}

/** Signs up a person who uploads books and looks at pictures. */
export async function pictureReader(
  server: TestServer,
  options: Parameters<typeof signedInPerson>[1] = {},
): Promise<PictureReader> {
  const person = await signedInPerson(server, options)
  const { key } = await createApiKey(server.running.opened.services, person.account.id, {})
  return {
    ...person,
    id: person.account.id,
    key,
    async load(path, headers = {}) {
      const cookie = [...person.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(server.baseUrl + path, { headers: { cookie, ...headers }, redirect: 'manual' })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes, picture: sniffPicture(bytes) }
    },
  }
}
