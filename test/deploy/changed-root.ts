import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { chown, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SystemNeed } from '../support/system-needs.ts'

const run = promisify(execFile)

/** The user `node` of the official images. */
const user = 1000

/** Overlay mounts on this machine's root, each in its own mount namespace: what Docker uses to build and run images. */
export const overlayNeed: SystemNeed = {
  present: canOverlay(),
  remedy: 'needs root, a Debian and the right to mount an overlay file system',
}

function canOverlay(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'lectern-overlay-'))
  try {
    const layers = layersIn(folder)
    for (const path of Object.values(layers)) mkdirSync(path)
    const script = `${mountOf(layers)} && chroot ${layers.merged} apt-get --version`
    return spawnSync('unshare', ['--mount', 'sh', '-c', script]).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function layersIn(folder: string) {
  return { upper: join(folder, 'upper'), work: join(folder, 'work'), merged: join(folder, 'merged') }
}

function mountOf({ upper, work, merged }: ReturnType<typeof layersIn>): string {
  return `mount -t overlay overlay -o lowerdir=/,upperdir=${upper},workdir=${work} ${merged}`
}

/** A copy-on-write view of this machine's root folder: writes go to a separate folder. */
export interface ChangedRoot {
  /** Files that differ from the root of this machine. */
  upper: string
  /** Runs a script there as root. Rejects with its output if it fails. */
  run(script: string, options?: { folder?: string }): Promise<string>
  /** Starts a command there as the user of the image, who can write only to `/data` and `/tmp`. */
  start(command: readonly string[], environment: Record<string, string>): ChildProcess
  remove(): Promise<void>
}

/** Starts with the content of an official Node image: the Node that runs this test, and a user `node`. */
export async function createChangedRoot(): Promise<ChangedRoot> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-root-'))
  const layers = layersIn(folder)
  const { upper, merged } = layers
  const data = join(folder, 'data')
  for (const path of [...Object.values(layers), data]) await mkdir(path)
  await chown(data, user, user)
  await mkdir(join(upper, 'usr/local/bin'), { recursive: true })
  await copyFile(process.execPath, join(upper, 'usr/local/bin/node'))
  await mkdir(join(upper, 'etc'))
  for (const [file, line] of [
    ['passwd', `node:x:${user}:${user}::/tmp:/bin/sh\n`],
    ['group', `node:x:${user}:\n`],
  ] as const) {
    const lines = await readFile(`/etc/${file}`, 'utf8')
    await writeFile(join(upper, 'etc', file), lines.replaceAll(/^.*:1000:.*\n/gm, '') + line)
  }
  const base = [
    'set -e',
    mountOf(layers),
    ...['dev', 'proc'].map((name) => `mount --rbind /${name} ${merged}/${name}`),
    'export PATH=/usr/local/bin:$PATH',
  ]
  return {
    upper,
    async run(script, { folder: at = '/' } = {}) {
      const inside = `cd ${at} && ${script}`
      const all = [...base, `exec chroot ${merged} sh -ec ${quote(inside)}`].join('\n')
      const { stdout } = await run('unshare', ['--mount', 'sh', '-c', all], { maxBuffer: 64 * 1024 * 1024 })
      return stdout
    },
    start(command, environment) {
      const confined = [
        ...base,
        `mount -t tmpfs tmpfs ${merged}/tmp`,
        `mount --bind ${data} ${merged}/data`,
        `mount -o remount,ro ${merged}`,
      ]
      const ids = `--reuid ${user} --regid ${user} --clear-groups --no-new-privs --bounding-set=-all`
      const settings = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...environment })
      const env = settings.map(([name, value]) => quote(`${name}=${value}`)).join(' ')
      const words = command.map(quote).join(' ')
      const last = `exec chroot ${merged} setpriv ${ids} env --ignore-environment --chdir=/data ${env} ${words}`
      return spawn('unshare', ['--mount', 'sh', '-c', [...confined, last].join('\n')])
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
