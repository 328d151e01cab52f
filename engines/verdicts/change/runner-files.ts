import { posix } from 'node:path'
import { isTestSetup } from '../../test-names/roles.ts'
import type { SourceTree } from '../../test-plan/plan.ts'
import type { ChangedFile } from './facts.ts'

/** Files that a runner or its interpreter loads by their names. */
const loadedByName =
  /^(?:(?:conftest|sitecustomize|usercustomize)\.py|\.?pytest\.(?:ini|toml)|\.mocharc\.\w+|mocha\.opts|jasmine\.json|\.rspec|phpunit\.xml(?:\.dist)?)$|^(?:vitest|vite|jest|ava|karma|playwright|jasmine)\.(?:[\w-]+\.)?(?:config|conf|workspace)\.(?:[cm]?[jt]s|json)$/
/** Files that configure more than the runner. */
const shared = /^(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini)$/
const runnersOfPackages = ['jest', 'vitest', 'mocha', 'ava', 'jasmine', 'nyc', 'c8', 'tap']
const namesPlugins = /(?:^|\s|["'])-p\b|plugins|addopts/
const maxConfigurations = 50

/**
 * Finds those of the files that the runner loads besides tests: its configuration, setup files such as `conftest.py`, and
 * reporters, plug-ins and hooks that the configuration or the test command names.
 *
 * @param tree - the files after the change
 * @param parts - the folders of the parts and their test commands
 */
export async function findRunnerFiles<File extends Pick<ChangedFile, 'path' | 'kind'>>(
  files: readonly File[],
  tree: SourceTree,
  parts: readonly { directory: string; command: string }[],
): Promise<File[]> {
  const folders = new Set(['', ...parts.map(({ directory }) => directory)])
  const configurations = tree.paths
    .filter((path) => folders.has(folderOf(path)) && isConfiguration(posix.basename(path)))
    .slice(0, maxConfigurations)
  const named = new Set(parts.flatMap(({ directory, command }) => pathsIn(command, directory)))
  for (const path of configurations) {
    const text = relevantText(posix.basename(path), (await tree.read(path)) ?? '')
    for (const mentioned of pathsIn(text, folderOf(path))) named.add(mentioned)
  }
  return files.filter((file) => {
    const { path } = file
    if (loadedByName.test(posix.basename(path)) || (isTestSetup(path) && file.kind === 'test_support')) return true
    return (named.has(path) || named.has(withoutExtension(path))) && file.kind !== 'test'
  })
}

/** Whether a file of this name may say what the runner loads. */
export const isConfiguration = (name: string): boolean => loadedByName.test(name) || shared.test(name)

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const withoutExtension = (path: string) => path.replace(/\.\w+$/, '')

/** Returns what concerns the runner. A package names files for many other purposes. */
function relevantText(name: string, text: string): string {
  if (name !== 'package.json') return name.endsWith('.py') || shared.test(name) ? linesOfPlugins(text) : text
  try {
    const manifest: unknown = JSON.parse(text)
    if (typeof manifest !== 'object' || manifest === null) return ''
    return JSON.stringify(Object.entries(manifest).filter(([key]) => runnersOfPackages.includes(key)))
  } catch {
    return ''
  }
}

const linesOfPlugins = (text: string) =>
  text
    .split('\n')
    .filter((line) => namesPlugins.test(line))
    .join('\n')

/** Returns the paths that words of the text may mean, also as modules of Python: `./a.js`, `<rootDir>/a.js`, `tests.a`. */
function pathsIn(text: string, folder: string): string[] {
  return (text.match(/[\w@./-]{2,300}/g) ?? []).flatMap((word) => {
    const path = posix.join(folder, word.replace(/^\/+/, ''))
    return /^[\w.]+$/.test(word) ? [path, posix.join(folder, word.replaceAll('.', '/'))] : [path]
  })
}
