import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface TestRepository extends AsyncDisposable {
  /** Without symbolic links. */
  path: string
  git: (...args: string[]) => Promise<string>
  write: (files: Record<string, string>) => Promise<void>
}

/** A real git repository with one commit. */
export async function createRepository(files: Record<string, string>): Promise<TestRepository> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'assay-mcp-repository-')))
  const git = async (...args: string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'core.quotePath=false']
    const { stdout } = await run('git', [...identity, ...args], { cwd: path })
    return stdout.trim()
  }
  const write = async (contents: Record<string, string>) => {
    for (const [name, content] of Object.entries(contents)) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), content)
    }
  }
  await write(files)
  await git('init', '--quiet', '--initial-branch', 'main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'First')
  return { path, git, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Creates a temporary folder for files of a program under test. */
export async function createFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'assay-mcp-data-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A small shop with two functions, one of which is far more worth testing. */
export const shopFiles = {
  'package.json': JSON.stringify({ name: 'shop', version: '1.0.0', devDependencies: { vitest: '^5.0.0' } }),
  'src/price.ts': [
    'export function price(items: { cost: number; count: number }[], country: string): number {',
    '  let total = 0',
    '  for (const item of items) {',
    '    if (item.count <= 0) continue',
    '    if (item.cost < 0) throw new Error("negative")',
    '    total += item.cost * item.count',
    '  }',
    '  if (country === "DE") return total * 1.19',
    '  if (country === "FR") return total * 1.2',
    '  return total > 100 ? total : total + 5',
    '}',
    '',
  ].join('\n'),
  'src/name.ts':
    'export function name(language: string): string {\n' +
    '  if (language === "de") return "Laden"\n  return language === "fr" ? "magasin" : "shop"\n}\n',
  'src/main.ts':
    'import { price } from "./price.ts"\nimport { name } from "./name.ts"\nconsole.log(name("de"), price([], "DE"))\n',
}
