import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Files = Record<string, string | Buffer | { linkTo: string }>

/** A git repository in a temporary folder, with a working tree and the branch `main`. */
export interface GitRepository extends AsyncDisposable {
  path: string
  /** Runs git in it and returns what it printed, without the line break at its end. */
  git(...args: string[]): Promise<string>
  /** Runs git with something to read. */
  gitWithInput(input: string | Buffer, ...args: string[]): Promise<string>
  /** Writes files without committing them. */
  write(files: Files): Promise<void>
  /** Commits the whole working tree, after writing files if there are any, and returns the commit's id. */
  commit(files?: Files, options?: { message?: string; at?: Date }): Promise<string>
}

/** Makes a repository; with files, it has one commit of them. The machine's and the user's git settings play no part. */
export async function createGitRepository(
  files?: Files,
  options: { objectFormat?: 'sha1' | 'sha256' } = {},
): Promise<GitRepository> {
  // Where the temporary folder is a symlink, git would know the repository by another name.
  const path = join(await realpath(await mkdtemp(join(tmpdir(), 'assay-repository-'))), 'app')
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: dirname(path),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  }
  const gitWith = async (input: string | Buffer | undefined, args: string[], extra: NodeJS.ProcessEnv = {}) => {
    const env = { ...environment, ...extra }
    const running = run('git', args, { cwd: path, env, maxBuffer: 2 ** 28 })
    running.child.stdin?.end(input)
    return (await running).stdout.replace(/\n$/, '')
  }
  const repository: GitRepository = {
    path,
    git: (...args) => gitWith(undefined, args),
    gitWithInput: (input, ...args) => gitWith(input, args),
    async write(contents) {
      for (const [name, content] of Object.entries(contents)) {
        const file = join(path, name)
        await mkdir(dirname(file), { recursive: true })
        if (typeof content === 'string' || Buffer.isBuffer(content)) await writeFile(file, content)
        else await symlink(content.linkTo, file)
      }
    },
    async commit(contents = {}, { message = 'Change', at = new Date('2026-01-01T00:00:00Z') } = {}) {
      await repository.write(contents)
      await gitWith(undefined, ['add', '--all'])
      const date = at.toISOString()
      const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      await gitWith(undefined, ['commit', '--quiet', '--allow-empty', '--no-gpg-sign', `--message=${message}`], dates)
      return gitWith(undefined, ['rev-parse', 'HEAD'])
    },
    async [Symbol.asyncDispose]() {
      await rm(dirname(path), { recursive: true, force: true })
    },
  }
  await mkdir(path)
  await repository.git('init', '--quiet', '--initial-branch=main', `--object-format=${options.objectFormat ?? 'sha1'}`)
  if (files) await repository.commit(files)
  return repository
}
