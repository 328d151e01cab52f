import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { copyLayers } from './copy-layers.ts'
import type { Volume } from './executor.ts'
import { identityMap } from './identity-maps.ts'
import { makeWorkFolder, overlayCommand, removeWorkFolder, singleFolder } from './layers.ts'
import type { SandboxUser } from './sandbox-users.ts'
import { quote } from './shell.ts'
import { systemEnvironment } from './system.ts'
import { isWithin } from './toolchains.ts'

/**
 * Where the user of a sandbox finds the files of its volumes: below a folder that exists only in the sandbox's mount
 * namespace, because it cannot enter the private folders of the host.
 *
 * On disk everything that sandboxes write belongs to the user `storage`. A mount shows it as files of the sandbox's
 * user, so that no file changes its owner when another sandbox uses it. Machines that lack such mounts copy the layers
 * and change the owners.
 */
export interface Stage extends AsyncDisposable {
  /** Returns the path at which the sandbox's user finds what is at `source`, with the owners that it has. */
  show(source: string): string
  /** Like `show`, for an empty folder of ours with folders that the sandbox writes to. */
  give(folder: string, names: readonly string[]): Promise<string>
  /** Returns one path for the layers of a volume. */
  mount(volume: Volume): Promise<string>
  /** The commands that make all of these paths, for a mount namespace of root that is shared with nobody. */
  commands(): string[]
}

/** Every machine has it, and nothing of the host in it is shown to sandboxes. */
const place = '/tmp'
const binder = join(import.meta.dirname, 'idmapped-bind.pl')

export async function openStage(scratch: string, user: SandboxUser, mayMap = true): Promise<Stage> {
  const folder = join(scratch, 'stage')
  await mkdir(folder)
  const isMapped = mayMap && (await canMap(scratch, user))
  const binds: [namespace: string, source: string, name: string][] = []
  const overlays: string[] = []
  const merged: string[] = []
  const cleanUp = new AsyncDisposableStack()

  const bind = (source: string, namespace = '-') => {
    const known = binds.find(([map, path]) => map === namespace && path === source)
    const name = known?.[2] ?? `${binds.length}`
    if (known === undefined) binds.push([namespace, source, name])
    return join(place, name)
  }
  const bindMapped = async (source: string, owner: { uid: number; gid: number }) =>
    bind(source, await identityMap(owner, user.uid))
  const storage = { uid: user.storage, gid: user.storage }
  /** A folder that the sandbox writes to. */
  const bindOwned = async (source: string) => {
    await giveTree(source, isMapped ? user.storage : user.uid)
    if (isMapped) return bindMapped(source, storage)
    cleanUp.defer(() => giveTree(source, user.storage))
    return bind(source)
  }
  const layer = async (source: string) => bindMapped(source, await stat(source))
  const canEnter = (source: string) => !isWithin(source, place) && isPublic(dirname(source))

  return {
    show: (source) => (canEnter(source) ? source : bind(source)),
    give: async (parent, names) => {
      await chmod(parent, 0o711)
      for (const name of names) await chown(join(parent, name), ...both(isMapped ? user.storage : user.uid))
      return isMapped ? bindMapped(parent, storage) : bind(parent)
    },
    mount: async (volume) => {
      const { lower, upper } = volume
      const single = singleFolder(volume)
      if (single !== undefined && upper !== null) return bindOwned(single)
      if (single !== undefined) return isMapped ? layer(single) : bind(single)
      const name = `merged-${merged.length}`
      if (!isMapped) {
        const target = upper ?? join(scratch, name)
        await mkdir(target, { recursive: true })
        await copyLayers(lower, target)
        return bindOwned(target)
      }
      merged.push(name)
      const target = join(place, name)
      const layers = await Promise.all(lower.map(layer))
      if (upper === null) {
        overlays.push(overlayCommand(layers, null, null, target))
        return target
      }
      await giveTree(upper, user.storage)
      const work = await makeWorkFolder(upper)
      cleanUp.defer(() => removeWorkFolder(work))
      // One mount for both, as the kernel demands.
      const parent = await bindMapped(dirname(upper), storage)
      overlays.push(overlayCommand(layers, join(parent, basename(upper)), join(parent, basename(work)), target))
      return target
    },
    commands: () => [
      `mount -t tmpfs -o mode=755,size=1m,nosuid,nodev tmpfs ${quote(folder)}`,
      ...bindCommands(binds.map(([namespace, source, name]) => [namespace, source, join(folder, name)])),
      `mount --move ${quote(folder)} ${place}`,
      ...(merged.length === 0 ? [] : [`mkdir ${merged.map((name) => join(place, name)).join(' ')}`]),
      ...overlays,
    ],
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

function bindCommands(binds: readonly (readonly [namespace: string, source: string, target: string])[]): string[] {
  if (binds.some(([namespace]) => namespace !== '-')) {
    return [`perl ${[binder, ...binds.flat()].map(quote).join(' ')}`]
  }
  return binds.map(([, source, target]) => {
    const make = statSync(source).isDirectory() ? 'mkdir' : 'touch'
    return `${make} ${quote(target)} && mount --rbind ${quote(source)} ${quote(target)}`
  })
}

const both = (id: number): [number, number] => [id, id]

/** Makes a user the owner of a folder with all that is in it, unless it is that already. */
export async function giveTree(folder: string, id: number): Promise<void> {
  const found = await lstat(folder)
  if (found.uid === id && found.gid === id) return
  if (!found.isDirectory() || (await readdir(folder)).length === 0) return chown(folder, id, id)
  await promisify(execFile)('chown', ['-R', '-h', `${id}:${id}`, '--', folder], { env: systemEnvironment })
}

/** Whether every user may enter a folder and the folders above it. */
function isPublic(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

const mappable = new Map<number, Promise<boolean>>()

/** Whether mounts can show files as those of another user, and layers of such mounts. Tried once per file system. */
export async function canMap(folder: string, user: SandboxUser): Promise<boolean> {
  const { dev } = await stat(folder)
  const known = mappable.get(dev) ?? tryToMap(folder, user)
  mappable.set(dev, known)
  return known
}

async function tryToMap(folder: string, { uid, storage }: SandboxUser): Promise<boolean> {
  const trial = await mkdtemp(join(folder, 'mapped-'))
  try {
    const part = (name: string) => join(trial, name)
    for (const name of ['lower', 'upper', 'work', 'one', 'two', 'merged']) await mkdir(part(name))
    await writeFile(part('lower/file'), '')
    await chown(part('upper'), storage, storage)
    for (const name of ['one', 'two']) await rm(part(name), { recursive: true })
    const maps = [await identityMap({ uid: 0, gid: 0 }, uid), await identityMap({ uid: storage, gid: storage }, uid)]
    const script = [
      `perl ${[binder, maps[0] ?? '', part('lower'), part('one'), maps[1] ?? '', trial, part('two')].map(quote).join(' ')}`,
      `cd ${quote(trial)}`,
      overlayCommand(['one'], 'two/upper', 'two/work', 'merged'),
      `cd merged && setpriv --reuid ${uid} --regid ${uid} --clear-groups sh -c 'echo x >> file'`,
    ].join(' && ')
    await promisify(execFile)('unshare', ['--mount', '--propagation', 'private', '--', 'sh', '-c', script], {
      env: systemEnvironment,
    })
    return (await lstat(part('upper/file'))).uid === storage
  } catch {
    return false
  } finally {
    await removeWorkFolder(join(trial, 'work'))
    await rm(trial, { recursive: true, force: true })
  }
}
