import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CommitSnapshot } from '../commit.ts'
import { receiveSnapshot } from '../receive-snapshot.ts'
import { defaultSnapshotLimits, type SnapshotSource } from '../snapshot.ts'
import type { GitRepository } from './git-repository.ts'

/** Writes a thin pack of the working tree and of the commits after the base. Stages all files. */
export async function packWorkingTree(
  repository: GitRepository,
  baseSha: string | null,
): Promise<{ pack: Buffer; treeSha: string; headSha: string | null }> {
  await repository.git('add', '--all')
  const treeSha = await repository.git('write-tree')
  const headSha = baseSha === null ? null : await repository.git('rev-parse', 'HEAD')
  const wanted = [treeSha, ...(headSha === null ? [] : [headSha])]
  const without = baseSha === null ? [] : [`^${baseSha}`, `^${baseSha}^{tree}`]
  const packing = promisify(execFile)('git', ['pack-objects', '--revs', '--thin', '--stdout', '-q'], {
    cwd: repository.path,
    env: { PATH: process.env['PATH'], HOME: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    encoding: 'buffer',
    maxBuffer: 2 ** 28,
  })
  packing.child.stdin?.end([...wanted, ...without].map((line) => `${line}\n`).join(''))
  return { pack: (await packing).stdout, treeSha, headSha }
}

/** Sends the working tree as a client does, and keeps it below the folder. */
export async function sendSnapshot(
  repository: GitRepository,
  { base, folder, name = 'one' }: { base: CommitSnapshot | null; folder: string; name?: string },
): Promise<SnapshotSource> {
  const { pack, treeSha, headSha } = await packWorkingTree(repository, base?.commitSha ?? null)
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${name}.pack`)
  await writeFile(file, pack)
  const gitDir = join(folder, 'snapshots', `${name}.git`)
  const { commitSha } = await receiveSnapshot({
    pack: file,
    treeSha,
    headSha,
    base,
    directory: gitDir,
    limits: defaultSnapshotLimits,
    signal: new AbortController().signal,
  })
  return { gitDir, commitSha, baseSha: base?.commitSha ?? null }
}
