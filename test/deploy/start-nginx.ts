import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSigned } from '../support/certificate.ts'
import { freePort } from '../support/server.ts'

const site = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')

/**
 * `deploy/nginx.conf` in a temporary folder, with free ports, an existing certificate, and this server as its upstream.
 */
export interface NginxFolder {
  /** The arguments of `nginx`. */
  args: string[]
  /** The certificate, in PEM. */
  cert: string
  certFile: string
  /** The ports for https and plain http. */
  ports: { https: number; http: number }
  remove(): Promise<void>
}

/** Creates a folder in which nginx runs. `upstream`: the address of the server, such as `127.0.0.1:3000`. */
export async function makeNginxFolder(upstream: string): Promise<NginxFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-nginx-'))
  const [https, http] = [await freePort(), await freePort()]
  const { key, cert } = selfSigned(new Date(Date.now() + 90 * 24 * 60 * 60 * 1000))
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const replaced = site
    .replaceAll('listen 443 ', `listen ${https} `)
    .replaceAll('listen [::]:443 ', `listen [::]:${https} `)
    .replaceAll('listen 80;', `listen ${http};`)
    .replaceAll('listen [::]:80;', `listen [::]:${http};`)
    .replace('/etc/letsencrypt/live/books.example.com/fullchain.pem', certFile)
    .replace('/etc/letsencrypt/live/books.example.com/privkey.pem', keyFile)
    .replace('127.0.0.1:3000', upstream)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  )
  const main = [
    'daemon off;\nmaster_process off;\nerror_log stderr;',
    `pid ${folder}/nginx.pid;`,
    `events {}\nhttp {\n  access_log off;\n${temporary.join('\n')}\n  include ${folder}/site.conf;\n}\n`,
  ]
  for (const [path, text] of [
    [certFile, cert],
    [keyFile, key],
    [join(folder, 'site.conf'), replaced],
    [join(folder, 'nginx.conf'), main.join('\n')],
  ] as const)
    await writeFile(path, text)
  return {
    args: ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')],
    cert,
    certFile,
    ports: { https, http },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Starts nginx in its folder and waits until it listens. */
export async function startNginx({ args, ports }: NginxFolder): Promise<{ stop(): Promise<void> }> {
  const child = spawn('nginx', args)
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  while (!(await listens(ports.https))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${output}`)
    await sleep(20)
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
