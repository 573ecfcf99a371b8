import { lookAtAuthorization } from './check-authorization.ts'
import { look, type Finding } from './finding.ts'
import { lookAtChallenge, lookAtForwarding, lookAtOrigin } from './check-mcp-endpoint.ts'
import { lookAtAuthorizationServer, lookAtResource, resourceDocuments, type Endpoints } from './check-metadata.ts'
import { createProbe, type Probe } from './probe.ts'
import { lookAtCertificate, lookAtPlainHttp, lookAtScheme, lookForLife } from './check-reachability.ts'

export interface UrlDiagnosis {
  ok: boolean
  checks: Finding[]
}

/** Looks at a running deployment from outside, as assistants do. It registers one OAuth client and changes nothing else. */
export async function examineUrl(url: string, { now = new Date() } = {}): Promise<UrlDiagnosis> {
  const probe = createProbe(new URL(url).origin)
  const life = await lookForLife(probe)
  const checks = [life, lookAtScheme(probe.origin)]
  if (life.ok) checks.push(...(await lookAtConnection(probe.origin, now)), ...(await lookInside(probe)))
  return { ok: checks.every(({ ok }) => ok), checks }
}

async function lookAtConnection(origin: string, now: Date): Promise<Finding[]> {
  const { protocol, port, hostname } = new URL(origin)
  if (protocol !== 'https:') return []
  const certificate = await look('certificate', () => lookAtCertificate(origin, now))
  // With a port in the address there is no telling where plain http would be.
  return port === '' ? [...certificate, await lookAtPlainHttp(`http://${hostname}`, origin)] : certificate
}

async function lookInside(probe: Probe): Promise<Finding[]> {
  const seen = { offersOauth: true }
  const challenge = await look('challenge', async () => {
    const { finding, offersOauth } = await lookAtChallenge(probe)
    seen.offersOauth = offersOauth
    return finding
  })
  return [
    ...challenge,
    ...(await look('origin', () => lookAtOrigin(probe))),
    ...(await look('forwarding', () => lookAtForwarding(probe, seen.offersOauth))),
    ...(seen.offersOauth ? await lookAtOauth(probe) : []),
  ]
}

async function lookAtOauth(probe: Probe): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const document of resourceDocuments) {
    findings.push(...(await look(document[0], () => lookAtResource(probe, document))))
  }
  const seen: { endpoints: Endpoints | null } = { endpoints: null }
  const metadata = await look('issuer', async () => {
    const server = await lookAtAuthorizationServer(probe)
    seen.endpoints = server.endpoints
    return server.findings
  })
  findings.push(...metadata)
  const { endpoints } = seen
  if (endpoints) findings.push(...(await look('registration', () => lookAtAuthorization(probe, endpoints))))
  return findings
}
