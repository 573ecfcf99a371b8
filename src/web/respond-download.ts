import { FileOutput } from '../reading/item-file-schema.ts'
import { respondFile } from '../transport/respond-file.ts'
import { callToolForVisit } from './call-tool-for-visit.ts'
import type { SignedInVisit } from './visit.ts'

/** Answers a page's link to a file: calls a tool that returns one, as the signed-in account. */
export async function respondDownload(visit: SignedInVisit, call: { name: string; raw?: unknown }): Promise<Response> {
  const response = await respondFile(visit.request, await callToolForVisit(visit, call, FileOutput))
  for (const cookie of visit.setCookies) response.headers.append('Set-Cookie', cookie)
  return response
}
