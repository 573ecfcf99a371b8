import { checkAuthorization } from './check-authorization.ts'
import { runUrlCheck, type Finding } from './finding.ts'
import { checkChallenge, checkForwarding, checkForeignOrigin } from './check-mcp-endpoint.ts'
import { checkServerMetadata, checkResourceMetadata, resourceDocuments, type Endpoints } from './check-metadata.ts'
import { createProbe, type Probe } from './probe.ts'
import { checkProxies } from './check-proxies.ts'
import { checkCertificate, checkPlainHttp, checkScheme, checkReachability } from './check-reachability.ts'

export interface DeploymentDiagnosis {
  ok: boolean
  checks: Finding[]
}

/** Checks a running deployment from outside, like an assistant. Registers one OAuth client and changes nothing else. */
export async function checkDeployment(url: string, { now = new Date() } = {}): Promise<DeploymentDiagnosis> {
  const probe = createProbe(new URL(url).origin)
  const reachability = await checkReachability(probe)
  const checks = [reachability, checkScheme(probe.origin)]
  if (reachability.ok) checks.push(...(await checkConnection(probe.origin, now)), ...(await checkEndpoints(probe)))
  return { ok: checks.every(({ ok }) => ok), checks }
}

async function checkConnection(origin: string, now: Date): Promise<Finding[]> {
  const { protocol, port, hostname } = new URL(origin)
  if (protocol !== 'https:') return []
  const certificate = await runUrlCheck('certificate', () => checkCertificate(origin, now))
  // With an explicit port, the port for plain http is unknown.
  return port === '' ? [...certificate, await checkPlainHttp(`http://${hostname}`, origin)] : certificate
}

async function checkEndpoints(probe: Probe): Promise<Finding[]> {
  const discovered = { offersOauth: true }
  const challenge = await runUrlCheck('challenge', async () => {
    const { finding, offersOauth } = await checkChallenge(probe)
    discovered.offersOauth = offersOauth
    return finding
  })
  return [
    ...challenge,
    ...(await runUrlCheck('origin', () => checkForeignOrigin(probe))),
    ...(await runUrlCheck('proxies', () => checkProxies(probe))),
    ...(await runUrlCheck('forwarding', () => checkForwarding(probe, discovered.offersOauth))),
    ...(discovered.offersOauth ? await checkOauth(probe) : []),
  ]
}

async function checkOauth(probe: Probe): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const document of resourceDocuments) {
    findings.push(...(await runUrlCheck(document[0], () => checkResourceMetadata(probe, document))))
  }
  const discovered: { endpoints: Endpoints | null } = { endpoints: null }
  const metadata = await runUrlCheck('issuer', async () => {
    const server = await checkServerMetadata(probe)
    discovered.endpoints = server.endpoints
    return server.findings
  })
  findings.push(...metadata)
  const { endpoints } = discovered
  if (endpoints) findings.push(...(await runUrlCheck('registration', () => checkAuthorization(probe, endpoints))))
  return findings
}
