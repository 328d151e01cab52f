import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { StrengthRepository } from './repositories.ts'

const run = promisify(execFile)
const author = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com']

/** Clones a repository, leaves only the dependencies that its tests need, commits that, and installs them. */
export async function makeSubject(
  repository: StrengthRepository,
  checkout: string,
  directory: string,
): Promise<string> {
  const { commit, command, needs, edits = [] } = repository
  const at = (path: string) => join(directory, path)
  await run('git', ['clone', '--quiet', checkout, directory])
  await run('git', ['-C', directory, 'checkout', '--quiet', '-B', 'main', commit])
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package-lock.json']) await rm(at(name), { force: true })
  const { packageManager: _, devDependencies, ...manifest } = JSON.parse(await readFile(at('package.json'), 'utf8'))
  const kept = Object.fromEntries(needs.map((name) => [name, devDependencies[name]]))
  const scripts = { test: command.join(' ') }
  await writeFile(at('package.json'), JSON.stringify({ ...manifest, scripts, devDependencies: kept }, null, 2))
  for (const { path, from, to } of edits) {
    const text = await readFile(at(path), 'utf8')
    if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
    await writeFile(at(path), text.replace(from, to))
  }
  await writeFile(at('.gitignore'), 'node_modules\n')
  await commitAll(directory)
  await install(directory)
  return directory
}

export async function commitAll(directory: string): Promise<void> {
  await run('git', ['-C', directory, 'add', '--all', '.'])
  await run('git', ['-C', directory, ...author, 'commit', '--quiet', '--message', 'Change'])
}

/** Installs the dependencies of a project, and other packages beside them. */
export async function install(directory: string, ...packages: string[]): Promise<void> {
  const quiet = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps']
  await run('npm', ['install', ...packages, ...quiet], { cwd: directory, maxBuffer: 2 ** 26 })
}
