import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { copyLayers } from './copy-layers.ts'
import type { Volume } from './executor.ts'
import { quote } from './shell.ts'
import { systemEnvironment } from './system.ts'

/** A volume as one host folder that a sandbox can bind. */
export interface Mountable {
  path: string
  source: string
  readOnly: boolean
  /** The commands that mount `source`, for a separate mount namespace. */
  mount: string | null
  /** The mount leaves this folder, which is removed afterwards. */
  work: string | null
}

const supported = new Map<number, Promise<boolean>>()

/** Mounts layers over each other if this machine allows it, or else copies them into the upper folder, once. */
export async function prepareVolumes(volumes: readonly Volume[], scratch: string): Promise<Mountable[]> {
  const prepared: Mountable[] = []
  for (const [index, volume] of volumes.entries()) prepared.push(await prepare(volume, scratch, index))
  return prepared
}

async function prepare(volume: Volume, scratch: string, index: number): Promise<Mountable> {
  const { path, lower, upper } = volume
  const single = singleFolder(volume)
  if (single !== undefined) return { path, source: single, readOnly: upper === null, mount: null, work: null }
  const work = upper === null ? null : await makeWorkFolder(upper)
  const source = join(scratch, `merged-${index}`)
  await mkdir(source, { recursive: true })
  const isSupported = [...lower, upper ?? '', work ?? '', source].every((folder) => !/[,:\\"\n]/.test(folder))
  if (isSupported && (await canOverlay(work ?? scratch))) {
    return { path, source, readOnly: upper === null, mount: overlayCommand(lower, upper, work, source), work }
  }
  await copyLayers(lower, upper ?? source)
  return { path, source: upper ?? source, readOnly: upper === null, mount: null, work: null }
}

/** Returns the folder of a volume that has only one. */
export function singleFolder({ path, lower, upper }: Volume): string | undefined {
  if (upper === null && lower.length === 0) throw new Error(`The volume ${path} has neither layers nor a folder.`)
  const [first, ...rest] = upper === null ? lower : [upper, ...lower]
  return rest.length === 0 ? first : undefined
}

/** Beside the upper folder, because the kernel demands both on one mount. */
export async function makeWorkFolder(upper: string): Promise<string> {
  const work = `${upper}.work`
  await removeWorkFolder(work)
  await mkdir(work)
  return work
}

export function overlayCommand(
  lower: readonly string[],
  upper: string | null,
  work: string | null,
  target: string,
): string {
  const options = [
    'nosuid,nodev',
    `lowerdir=${lower.join(':')}`,
    ...(upper === null || work === null ? [] : [`upperdir=${upper}`, `workdir=${work}`]),
    'userxattr',
  ].join(',')
  return `mount -t overlay overlay -o ${quote(options)} ${quote(target)}`
}

/** Tried once per file system. */
function canOverlay(folder: string): Promise<boolean> {
  return stat(folder).then(({ dev }) => {
    const known = supported.get(dev) ?? tryOverlay(folder)
    supported.set(dev, known)
    return known
  })
}

async function tryOverlay(folder: string): Promise<boolean> {
  const trial = await mkdtemp(join(dirname(folder), 'overlay-'))
  try {
    const part = (name: string) => join(trial, name)
    const [lower, upper, work, merged] = [part('lower'), part('upper'), part('work'), part('merged')]
    for (const folder of [lower, upper, work, merged]) await mkdir(folder)
    await writeFile(join(lower, 'file'), '')
    const script = `${overlayCommand([lower], upper, work, merged)} && rm ${quote(join(merged, 'file'))}`
    await promisify(execFile)('unshare', [...ownMountNamespace, 'sh', '-c', script], { env: systemEnvironment })
    return existsSync(join(lower, 'file'))
  } catch {
    return false
  } finally {
    await removeWorkFolder(join(trial, 'work'))
    await rm(trial, { recursive: true, force: true })
  }
}

/** The kernel leaves a folder in it that only root can look into. */
export async function removeWorkFolder(work: string): Promise<void> {
  await chmod(join(work, 'work'), 0o700).catch(() => undefined)
  await rm(work, { recursive: true, force: true })
}

/** Ordinary users may mount where they are root. */
export const ownMountNamespace = ['--user', '--map-root-user', '--mount', '--'] as const
