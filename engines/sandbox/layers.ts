import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Volume } from './executor.ts'
import { quote } from './shell.ts'

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
  const [only] = lower
  if (lower.length === 0 && upper !== null) return { path, source: upper, readOnly: false, mount: null, work: null }
  if (lower.length === 1 && upper === null && only !== undefined) {
    return { path, source: only, readOnly: true, mount: null, work: null }
  }
  if (upper === null && lower.length === 0) throw new Error(`The volume ${path} has neither layers nor a folder.`)

  const work = upper === null ? null : await workFolder(upper, scratch, index)
  const source = join(scratch, `merged-${index}`)
  await mkdir(source, { recursive: true })
  const isSupported = [...lower, upper ?? '', work ?? '', source].every((folder) => !/[,:\\"\n]/.test(folder))
  if (isSupported && (await canOverlay(work ?? scratch))) {
    return { path, source, readOnly: upper === null, mount: overlayCommand(lower, upper, work, source), work }
  }
  await copyLayers(lower, upper ?? source)
  return { path, source: upper ?? source, readOnly: upper === null, mount: null, work: null }
}

/** Copies the layers into the folder, the lowest first, unless that was done before. */
export async function copyLayers(lower: readonly string[], upper: string): Promise<void> {
  const mark = `${upper}.layers-copied`
  if (existsSync(mark)) return
  for (const layer of lower.toReversed()) {
    await makeWay(layer, upper)
    await promisify(execFile)('cp', [
      '-a',
      ...(process.platform === 'linux' ? ['--reflink=auto', '--remove-destination'] : []),
      `${layer}/.`,
      upper,
    ])
  }
  await writeFile(mark, '')
}

/**
 * Removes from the folder what is not of the same kind in the layer, and every link: a copy would be written to where
 * the link leads.
 */
async function makeWay(layer: string, upper: string): Promise<void> {
  const present = new Map((await readdir(upper, { withFileTypes: true })).map((entry) => [entry.name, entry]))
  if (present.size === 0) return
  for (const entry of await readdir(layer, { withFileTypes: true })) {
    const found = present.get(entry.name)
    if (found === undefined) continue
    const path = join(upper, entry.name)
    if (entry.isDirectory() && found.isDirectory()) await makeWay(join(layer, entry.name), path)
    else if (!entry.isFile() || !found.isFile()) await rm(path, { recursive: true })
  }
}

/** On the file system of the upper folder, as the kernel demands. */
async function workFolder(upper: string, scratch: string, index: number): Promise<string> {
  const [above, here] = await Promise.all([stat(upper), stat(scratch)])
  const work = above.dev === here.dev ? join(scratch, `work-${index}`) : `${upper}.work`
  await rm(work, { recursive: true, force: true })
  await mkdir(work)
  return work
}

function overlayCommand(lower: readonly string[], upper: string | null, work: string | null, target: string): string {
  const options = [
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

export const ownMountNamespace = ['--user', '--map-root-user', '--mount', '--'] as const
export const systemEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
