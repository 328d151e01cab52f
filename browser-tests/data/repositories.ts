import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { before, day } from './random.ts'

const run = promisify(execFile)

export interface Repository {
  name: string
  description: string
  path: string
  branch: string
  /** Newest first. */
  commits: readonly string[]
}

interface Published {
  name: string
  description: string
  /** The folder of the installed package, relative to this project. */
  folder: string
  /** The folders and files that become the repository. */
  parts: readonly string[]
}

/** Packages of the npm registry that contain their tests. They are installed with this project. */
const published: readonly Published[] = [
  {
    name: 'pino',
    description: 'Very low overhead Node.js logger',
    folder: 'node_modules/pino',
    parts: ['lib', 'test', 'pino.js', 'file.js', 'browser.js', 'bin.js', 'package.json', 'README.md', 'LICENSE'],
  },
  {
    name: 'zod',
    description: 'TypeScript-first schema validation',
    folder: 'node_modules/zod',
    parts: ['src/index.ts', 'src/v4/classic', 'src/v4/core', 'src/v4/mini', 'package.json', 'README.md', 'LICENSE'],
  },
  {
    name: 'busboy',
    description: 'A streaming parser for HTML form data',
    folder: 'node_modules/@fastify/busboy',
    parts: ['lib', 'deps', 'test', 'types', 'index.js', 'package.json', 'README.md', 'LICENSE'],
  },
]

const root = resolve(import.meta.dirname, '../..')
const commitCount = 8

/** Kept between runs. It must be readable for the server, and not be in its data folder. */
const directory = join(tmpdir(), `assay-examples-${process.getuid?.() ?? 'own'}`)

/** Writes the default repositories, each with a short history, unless they exist, and returns them. */
export async function publishedRepositories(now: Date, count: number): Promise<Repository[]> {
  const wanted = published.toReversed().slice(0, count).toReversed()
  return Promise.all(
    wanted.map(async ({ name, description, folder, parts }) => {
      const path = join(directory, name)
      if (!existsSync(path)) {
        const begun = `${path}-${process.pid}`
        await writeHistory(begun, join(root, folder), parts, now)
        // Another process may have been quicker.
        await rename(begun, path).catch(() => rm(begun, { recursive: true, force: true }))
      }
      return { ...(await readRepository(path)), name, description }
    }),
  )
}

/** Reads the branch and the latest commits of a repository. */
export async function readRepository(path: string): Promise<Repository> {
  const git = gitIn(path)
  const commits = (await git('log', '--first-parent', '--format=%H', '-n', '12')).split('\n')
  const branch = await git('rev-parse', '--abbrev-ref', 'HEAD')
  return { name: basename(resolve(path)), description: '', path: resolve(path), branch, commits }
}

/** Commits the package in some steps: the last commit is the package as it was published. */
async function writeHistory(path: string, source: string, parts: readonly string[], now: Date): Promise<void> {
  await mkdir(path, { recursive: true })
  for (const part of parts) {
    if (existsSync(join(source, part))) await cp(join(source, part), join(path, part), { recursive: true })
  }
  const git = gitIn(path)
  await git('init', '--quiet', '--initial-branch=main')
  const code = (await filesBelow(path)).filter((file) => /\.[jt]s$/.test(file)).toSorted()
  const original = new Map<string, string>()
  for (const file of code.filter((_, index) => index % 3 === 0)) original.set(file, await readFile(file, 'utf8'))
  // Earlier versions of these files begin with one more line.
  for (const [file, text] of original) await writeFile(file, `// Not documented yet.\n${text}`)
  const left = [...original]
  for (let number = 0; number < commitCount; number++) {
    const share = number === 0 ? [] : left.splice(0, Math.ceil(original.size / (commitCount - 1)))
    for (const [file, text] of share) await writeFile(file, text)
    const date = before(now, 42 * day - number * 5 * day).toISOString()
    const of = share[0] ? relative(path, share[0][0]) : ''
    await git('add', '--all')
    await gitIn(path, { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date })(
      'commit',
      '--quiet',
      '--allow-empty',
      '--no-gpg-sign',
      `--message=${of === '' ? 'Import the package' : `Document ${of}`}`,
    )
  }
}

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

export function gitIn(path: string, environment: Record<string, string> = {}) {
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
    ...environment,
  }
  return async (...args: string[]) => {
    const { stdout } = await run('git', ['-c', 'safe.directory=*', ...args], { cwd: path, env, maxBuffer: 2 ** 28 })
    return stdout.trimEnd()
  }
}
