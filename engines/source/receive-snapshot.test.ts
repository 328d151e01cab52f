import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommitSnapshot, openCommit } from './commit.ts'
import { commitOf, copies, deltaTo, objectOf, type PackEntry, packOf, sealed, treeOf } from './testing/handmade-pack.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { receiveSnapshot, type ReceiveSnapshotOptions } from './receive-snapshot.ts'
import { defaultSnapshotLimits } from './snapshot.ts'
import { defaultSourceLimits, RepositoryError } from './types.ts'

const signal = new AbortController().signal
let folder: string
let project: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-receive-'))
  project = join(folder, 'snapshots/project')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const openBase = (repository: GitRepository, commitSha: string): Promise<CommitSnapshot> =>
  openCommit({
    url: repository.path,
    directory: join(folder, 'clone'),
    ref: { commitSha },
    allowLocal: true,
    allowCidrs: [],
    limits: defaultSourceLimits,
    signal,
  })

async function receive(pack: Buffer, options: Partial<ReceiveSnapshotOptions> & { treeSha: string }) {
  const file = join(folder, 'upload.pack')
  await writeFile(file, pack)
  return receiveSnapshot({
    pack: file,
    base: null,
    headSha: null,
    directory: join(project, 'one.git'),
    limits: defaultSnapshotLimits,
    signal,
    ...options,
  })
}

/** Also checks that nothing of the refused snapshot is left. */
async function refusalOf(receiving: Promise<unknown>): Promise<RepositoryError> {
  const failure = await receiving.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof RepositoryError)) throw new Error('it was not refused', { cause: failure })
  expect(existsSync(project) ? await readdir(project) : []).toEqual([])
  return failure
}

test('keeps a working tree without a base as a commit of its own', async () => {
  const file = objectOf('blob', 'hello\n')
  const folderOfFile = treeOf(['100755', 'run.sh', file])
  const root = treeOf(
    ['100644', 'a', file],
    ['120000', 'link', objectOf('blob', '../../etc/passwd')],
    ['40000', 'src', folderOfFile],
  )
  const pack = packOf([file, objectOf('blob', '../../etc/passwd'), folderOfFile, root])
  const received = await receive(pack, { treeSha: root.id })
  expect(received.files).toBe(3)
  expect(received.bytes).toBeGreaterThan(pack.length)
  expect(await readdir(project)).toEqual(['one.git'])
  const again = await receive(pack, { treeSha: root.id, directory: join(project, 'two.git') })
  expect(again.commitSha).toBe(received.commitSha)
})
