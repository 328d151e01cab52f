import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createGitRepository, type GitRepository } from './git-repository.ts'

/**
 * Makes a repository that has the base, completes a thin pack in it as git's own server does, and checks that nothing
 * that the wanted objects lead to is missing.
 */
export async function receivePack(
  from: GitRepository,
  { baseSha, file, wanted }: { baseSha: string | null; file: string; wanted: readonly string[] },
): Promise<GitRepository> {
  const format = (await from.git('rev-parse', '--show-object-format')) === 'sha256' ? 'sha256' : 'sha1'
  const receiver = await createGitRepository(undefined, { objectFormat: format })
  try {
    if (baseSha !== null) {
      const upload = '--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack'
      await receiver.git('fetch', '--quiet', '--no-tags', upload, from.path, baseSha)
    }
    await receiver.gitWithInput(await readFile(file), 'index-pack', '--stdin', '--fix-thin', '--strict')
    await receiver.git('rev-list', '--objects', '--quiet', ...wanted)
    return receiver
  } catch (error) {
    await receiver[Symbol.asyncDispose]()
    throw error
  }
}

/** Returns the tree that the user's own git makes of the working tree, without a change to the repository. */
export async function treeByGit(repository: GitRepository): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-add-'))
  try {
    const copy = join(folder, 'copy')
    // Node's own copy fails for names that are no valid UTF-8.
    await promisify(execFile)('cp', ['-a', repository.path, copy])
    await repository.git('-C', copy, 'add', '--all')
    return await repository.git('-C', copy, 'write-tree')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
