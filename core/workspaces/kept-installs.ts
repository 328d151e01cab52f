import { randomUUID } from 'node:crypto'
import { readdir, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../base/context.ts'
import type { Config } from '../config.ts'
import { isThere } from '../../engines/source/files.ts'
import { cacheDirectory, cachesDirectory } from './cache-directory.ts'
import { removeTree } from './directories.ts'

/** The number of installs that a project keeps. Separate limits protect its own installs from runs of strangers. */
const maxKept = { project: 6, stranger: 2 }
const kinds = { project: /^project-[0-9a-f]+$/, stranger: /^stranger-[0-9a-f]+-[0-9a-f]+$/ }
const recentMs = 600_000

export const installsDirectory = (config: Pick<Config, 'dataDir'>, projectId: string) =>
  join(cacheDirectory(config, projectId), 'installs')

/** Counts the runs of this process that use a folder. */
const holders = new Map<string, number>()

/** Protects a folder from removal by this process and, while this process runs, by other processes. */
export function holdInstall(directory: string): Disposable {
  holders.set(directory, (holders.get(directory) ?? 0) + 1)
  // Fails if the folder was deleted with its project.
  const timer = setInterval(() => void markUsed(directory).catch(() => undefined), recentMs / 2).unref()
  let held = true
  return {
    [Symbol.dispose]() {
      if (!held) return
      held = false
      clearInterval(timer)
      const others = (holders.get(directory) ?? 1) - 1
      if (others === 0) holders.delete(directory)
      else holders.set(directory, others)
    },
  }
}

/** Marks a folder as used, which other processes see. */
export async function markUsed(directory: string): Promise<void> {
  const now = new Date()
  await utimes(directory, now, now)
}

/** Removes what processes that stopped unexpectedly have not finished, in all projects. */
export async function sweepInstalls({ config, log }: Pick<Context, 'config' | 'log'>): Promise<void> {
  const projects = await readdir(cachesDirectory(config)).catch(() => [])
  for (const projectId of projects) {
    const directory = installsDirectory(config, projectId)
    if (!(await isThere(directory))) continue
    await forgetUnused(directory).catch((error: unknown) =>
      log.warn({ err: error, projectId }, 'cannot remove installs that are not in use'),
    )
  }
}

/** Removes the oldest installs of a project beyond the limits, and unfinished ones. Skips installs that may be in use. */
export async function forgetUnused(directory: string): Promise<void> {
  const names = await readdir(directory)
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      return { name, path, usedAt: (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity }
    }),
  )
  const latestFirst = aged.toSorted((a, b) => b.usedAt - a.usedAt)
  // Installs of older editions have other names.
  const kept = (['project', 'stranger'] as const).flatMap((kind) =>
    latestFirst.filter(({ name }) => kinds[kind].test(name)).slice(0, maxKept[kind]),
  )
  for (const install of latestFirst) {
    const { path, usedAt } = install
    if (kept.includes(install) || holders.has(path) || usedAt >= Date.now() - recentMs) continue
    const leaving = `${path}.${randomUUID()}`
    // Renamed first, so that no run finds a half-deleted install.
    const taken = await rename(path, leaving).then(
      () => true,
      () => false,
    )
    if (taken) await removeTree(leaving)
  }
}
