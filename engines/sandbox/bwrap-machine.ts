import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { findCgroupPlace, removeLeftCgroups, type CgroupPlace } from './cgroups.ts'
import { findHost, type Host, type SandboxOptions } from './sandbox-files.ts'
import { defaultUidRange, hasOwnUsers, problemOfRange } from './sandbox-users.ts'
import { seccompArchitecture } from './seccomp.ts'
import { canMap } from './stage.ts'
import { systemEnvironment } from './system.ts'

export interface BwrapOptions extends SandboxOptions {
  /** False to enforce limits by polling even if cgroups are available. */
  cgroups?: boolean
  /** False to change the owners of files even if mounts can show them as those of another user. */
  identityMaps?: boolean
}

/** What bubblewrap finds on this machine. */
export interface Machine {
  host: Host
  cgroups: CgroupPlace | undefined
}

export async function findMachine(options: BwrapOptions): Promise<Machine> {
  const [host, cgroups] = await Promise.all([
    findHost(options),
    options.cgroups === false ? undefined : findCgroupPlace(),
  ])
  if (cgroups) await removeLeftCgroups(cgroups)
  return { host, cgroups }
}

/** Returns why bubblewrap cannot run here, without trying it. */
export async function findMissing(options: BwrapOptions): Promise<string | null> {
  return (await missingProgram()) ?? (await missingUsers(options))
}

async function missingProgram(): Promise<string | null> {
  if (process.platform !== 'linux') return 'bubblewrap needs Linux.'
  if (seccompArchitecture() === undefined)
    return `Assay has no filter of system calls for ${process.arch}: it runs tests on x64 and arm64.`
  try {
    const { stdout } = await promisify(execFile)('bwrap', ['--help'], { env: systemEnvironment })
    if (!stdout.includes('--disable-userns')) return 'bubblewrap 0.8 or newer is needed.'
    for (const program of ['prlimit', 'unshare', 'setpriv']) {
      await promisify(execFile)(program, ['--version'], { env: systemEnvironment })
    }
    return null
  } catch (error) {
    const path = error instanceof Error && 'path' in error ? String(error.path) : 'bwrap'
    return path === 'bwrap'
      ? 'bubblewrap is not installed (apt-get install bubblewrap).'
      : `${path} is not installed (apt-get install util-linux).`
  }
}

async function missingUsers({ uidRange = defaultUidRange }: BwrapOptions): Promise<string | null> {
  return hasOwnUsers() ? problemOfRange(uidRange) : null
}

/** Says what this machine lacks. */
export async function findGaps(cgroups: CgroupPlace | undefined, options: BwrapOptions): Promise<string[]> {
  const gaps: string[] = []
  if (cgroups === undefined) {
    gaps.push(
      'The kernel does not limit the memory and the processes of a run as a whole, because Assay may not create ' +
        'cgroups here. Assay measures them every 100 ms, and does not see memory that no process has mapped or open.',
    )
  }
  if (!hasOwnUsers()) {
    gaps.push(
      'Sandboxes run as the user of Assay, because only root can give them users of their own. They share its limits, ' +
        'such as those of inotify.',
    )
  } else if (
    options.identityMaps === false ||
    !(await canMapIn(options.hiddenPaths.find((path) => existsSync(path)) ?? tmpdir()))
  ) {
    gaps.push(
      'Mounts cannot show files with another owner here (that takes Linux 5.19, perl and a file system that allows it), ' +
        'so each command copies the layers that it sees.',
    )
  }
  return gaps
}

/** Tried with a user that no sandbox has. */
async function canMapIn(folder: string): Promise<boolean> {
  const { first, last } = defaultUidRange
  return canMap(folder, { uid: last, storage: first, [Symbol.dispose]: () => undefined })
}
