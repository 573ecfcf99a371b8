import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments, parse } from 'yaml'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { readConfig } from '../../src/app/config.ts'
import { checkVariableNames } from '../../src/app/unknown-variables.ts'
import { describeWith, type SystemNeed } from '../support/system-needs.ts'
import { environmentOf, parseDockerfile, type Stage } from './dockerfile.ts'
import { hasProgram } from '../support/has-program.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const image = environmentOf(parseDockerfile(read('Dockerfile')).at(-1) as Stage)

interface Service {
  image: string
  environment?: Record<string, string>
  user?: string
  read_only?: boolean
  cap_drop?: string[]
  stop_grace_period?: string
  env_file?: { path: string; required: boolean }[]
}

const servicesOf = (path: string) =>
  (parse(read(path), { merge: true }) as { services: Record<string, Service> }).services
const composeFiles = ['compose.yaml', 'compose.scale.yaml']

/** The values that an operator enters in `.env`. */
const dotEnv: Record<string, string> = {
  LECTERN_HOST: 'books.example.com',
  FILES_HOST: 'files.example.com',
  LECTERN_SECRET: 'a secret of at least thirty-two characters',
  S3_SECRET_KEY: 'a key',
}

/** Substitutes `${NAME}`, `${NAME:-default}` and `${NAME:?what it is}` like Compose. */
function interpolate(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    const value = dotEnv[name] ?? (kind === '-' ? rest : undefined)
    if (value === undefined) throw new Error(`${name} is not set`)
    return value
  })
}

interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  spec?: Record<string, unknown>
}

const manifestFiles = globSync('deploy/kubernetes/*.yaml', { cwd: root }).filter(
  (path) => basename(path) !== 'kustomization.yaml',
)
const manifests = manifestFiles.flatMap((path) =>
  parseAllDocuments(read(path)).map((document) => document.toJS() as Manifest),
)

interface Container {
  name: string
  env: { name: string; value: string }[]
  ports: { containerPort: number }[]
  securityContext: Record<string, unknown>
}

/** The Secret that docs/deploying.md describes. */
const secret = Object.fromEntries(
  [...read('docs/deploying.md').matchAll(/--from-literal=(\w+)="?([^"\s]+)"?/g)].map(([, name = '', value = '']) => [
    name,
    value.startsWith('$(') ? 'what-a-command-makes-of-many-letters' : value,
  ]),
)

const deployments = manifests
  .filter(({ kind }) => kind === 'Deployment')
  .map(({ metadata, spec }) => {
    const { template } = spec as { template: { spec: { containers: Container[]; securityContext: object } } }
    return { name: metadata.name, pod: template.spec, container: template.spec.containers[0] as Container }
  })

/** The environment of each process that the manifests start. */
const environments: [where: string, environment: Record<string, string>][] = [
  ...composeFiles.flatMap((path) =>
    Object.entries(servicesOf(path))
      .filter(([, { image: name }]) => name === 'lectern')
      .map(([name, { environment = {} }]): [string, Record<string, string>] => [
        `${path}: ${name}`,
        { ...image, ...Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, interpolate(text)])) },
      ]),
  ),
  ...deployments.map(({ name, container }): [string, Record<string, string>] => [
    `deploy/kubernetes: ${name}`,
    {
      ...image,
      ...secret,
      ...Object.assign({}, ...manifests.map(({ data }) => data)),
      ...Object.fromEntries(container.env.map(({ name: key, value }) => [key, value])),
    },
  ]),
  [
    'deploy/lectern.service',
    Object.fromEntries(
      [...`${read('deploy/lectern.env')}\n${read('deploy/lectern.service')}`.matchAll(/(?<![\w$])([A-Z_]+)=(\S*)/g)]
        .filter(([, name = '']) => /^(LECTERN_\w+|PORT|HOST)$/.test(name))
        .map(([, name = '', value = '']) => [name, value]),
    ),
  ],
]

describe.for(environments)('the settings of %s', ([, environment]) => {
  test('are accepted by the server', () => {
    expect(Object.keys(environment).filter((name) => name.startsWith('LECTERN_')).length).toBeGreaterThan(2)
    expect(checkVariableNames(environment)).toEqual([])
    expect(() => readConfig(environment)).not.toThrow()
  })
})

test('the single server gets every setting of `.env`, and starts without that file', () => {
  expect(servicesOf('compose.yaml')['server']?.env_file).toEqual([{ path: '.env', required: false }])
})

test('web and worker differ in their role, and share the rest', () => {
  const { web, worker } = servicesOf('compose.scale.yaml')
  const [one, other] = [web?.environment, worker?.environment]
  expect([one?.['LECTERN_ROLE'], other?.['LECTERN_ROLE']]).toEqual(['web', 'worker'])
  expect({ ...one, LECTERN_ROLE: '' }).toEqual({ ...other, LECTERN_ROLE: '' })
  expect(deployments.map(({ container }) => container.env[0]?.value)).toEqual(['web', 'worker'])
})

test('containers of Lectern are not root, gain no privileges, and write only to declared volumes', () => {
  for (const path of composeFiles)
    for (const service of Object.values(servicesOf(path)).filter(({ image: name }) => name === 'lectern')) {
      const { user, read_only: readOnly, cap_drop: dropped, stop_grace_period: grace } = service
      expect([user, readOnly, dropped, grace]).toEqual([undefined, true, ['ALL'], '30s'])
    }
  expect(deployments).toHaveLength(2)
  for (const { pod, container } of deployments) {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    const restricted = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    }
    expect(container.securityContext).toMatchObject(restricted)
    expect(container.ports[0]?.containerPort).toBe(Number(image['PORT']))
  }
})

test('every disruption budget and autoscaler refers to an existing deployment', () => {
  const names = deployments.map(({ name }) => name)
  for (const kind of ['HorizontalPodAutoscaler', 'PodDisruptionBudget'])
    expect(manifests.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name)).toEqual(names)
  const listed = (parse(read('deploy/kubernetes/kustomization.yaml')) as { resources: string[] }).resources
  expect(listed.toSorted()).toEqual(manifestFiles.map((path) => basename(path)).toSorted())
})

test('proxies forward to the port of the server, and allow the largest upload', () => {
  for (const file of ['Caddyfile', 'nginx.conf']) expect(read(`deploy/${file}`)).toContain(`127.0.0.1:${image['PORT']}`)
  expect(read('deploy/compose.scale.Caddyfile')).toContain(`dynamic a web ${image['PORT']}`)
  const largest = Math.max(...builtInPlans.map(({ uploadMb }) => uploadMb))
  expect(read('deploy/nginx.conf')).toContain(`client_max_body_size ${largest}m;`)
})

const toolsFolder = process.env['LECTERN_TEST_DEPLOY_TOOLS'] ?? ''
const toolsNeed: SystemNeed = {
  present: toolsFolder !== '',
  remedy: 'needs LECTERN_TEST_DEPLOY_TOOLS, a folder made by test/deploy/install-tools.sh',
}

describeWith(toolsNeed)('by their own schemas', () => {
  test.for(composeFiles)('%s is a Compose file', async (path) => {
    const { stdout } = await run(join(toolsFolder, 'bin/cmd'), ['-no-interpolation', join(root, path)])
    expect(stdout).toContain('services:')
  })

  test('the manifests match the schemas of Kubernetes', async () => {
    const validate = join(toolsFolder, 'python/bin/kubernetes-validate')
    const { stdout, stderr } = await run(validate, ['--strict', ...manifestFiles.map((path) => join(root, path))])
    expect(`${stdout}${stderr}`.match(/passed for resource/g)).toHaveLength(manifests.length)
  })

  test('the Dockerfile follows the rules of hadolint', async () => {
    const { stdout } = await run(join(toolsFolder, 'python/bin/hadolint'), [join(root, 'Dockerfile')])
    expect(stdout).toBe('')
  })
})

describeWith(hasProgram('systemd-analyze', 'systemd'))('the unit', () => {
  const unit = join(root, 'deploy/lectern.service')

  test('is valid for systemd', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', unit])
    expect(stdout + stderr).toBe('')
  })

  test('is sandboxed', async () => {
    const { stdout } = await run('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit])
    const [, level] = /Overall exposure level for lectern\.service: ([\d.]+)/.exec(stdout) ?? []
    expect(Number(level)).toBeLessThanOrEqual(2)
  })
})

describeWith(hasProgram('caddy', 'caddy'))('Caddy', () => {
  test.for(['Caddyfile', 'compose.scale.Caddyfile'])('accepts deploy/%s unchanged, in its own format', async (file) => {
    const path = join(root, 'deploy', file)
    const { stderr, stdout } = await run('caddy', ['validate', '--adapter', 'caddyfile', '--config', path], {
      env: { ...process.env, ...dotEnv },
    })
    expect(stderr + stdout).toContain('Valid configuration')
    expect((await run('caddy', ['fmt', path])).stdout).toBe(read(join('deploy', file)))
  })
})
