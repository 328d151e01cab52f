import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, rm, rmdir, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { systemEnvironment } from './system.ts'

const run = (command: string, ...words: string[]) =>
  promisify(execFile)(command, words, { env: systemEnvironment, timeout: 60_000 })

/**
 * Creates a folder that can never hold more than these bytes and files, whatever writes to it: a file system in a file
 * that grows as it fills. It ends with its last process and mount, because its file has no name.
 *
 * @throws if this machine cannot: see `canBoundFolders`
 */
export async function makeBoundedFolder(path: string, bytes: number, files: number): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const image = `${path}.image`
  try {
    await makeImage(image, bytes, files)
    await run('mount', '-o', mountOptions, image, path)
  } finally {
    await rm(image, { force: true })
  }
  await Promise.all([chmod(path, 0o700), rmdir(join(path, 'lost+found'))])
}

const mountOptions = 'loop,nosuid,nodev,noatime,noinit_itable'

async function makeImage(image: string, bytes: number, files: number): Promise<void> {
  await writeFile(image, '', { mode: 0o600 })
  await truncate(image, bytes)
  const options = ['-O', '^has_journal', '-E', 'lazy_itable_init=1,nodiscard,root_owner=0:0', '-m', '0']
  await run('mkfs.ext4', '-q', '-F', ...options, '-N', String(files), image)
}

/** Whether a folder is one that `makeBoundedFolder` created. */
export async function isBoundedFolder(path: string): Promise<boolean> {
  const [own, above] = await Promise.all([lstat(path), lstat(dirname(path))])
  return own.isDirectory() && own.dev !== above.dev
}

/** Takes away the file system of an empty folder, which takes long and is done in the background if it is busy. */
export async function unmountBoundedFolder(path: string): Promise<void> {
  await run('umount', '--lazy', '--', path)
}

const checked = new Map<string, Promise<string | null>>()

/** Tries it once below `directory`, and returns null, or why this machine cannot bound folders there. */
export function whyUnbounded(directory: string): Promise<string | null> {
  const known = checked.get(directory) ?? tryToBound(directory)
  checked.set(directory, known)
  return known
}

async function tryToBound(directory: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount file systems'
  const folder = join(directory, `bounded-${randomUUID()}`)
  const image = join(folder, 'image')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await makeImage(image, 16 * 1024 * 1024, 100)
    // In a mount namespace of its own, which takes the mount along, also if this process ends meanwhile.
    await run('unshare', '--mount', 'mount', '-o', mountOptions, image, folder)
    return null
  } catch (error) {
    const [, last] = error instanceof Error ? error.message.trim().split('\n') : []
    return `a file system in a file cannot be mounted here (${last ?? 'loop devices and mkfs.ext4 are needed'})`
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}
