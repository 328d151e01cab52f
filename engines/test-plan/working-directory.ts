import type { SourceTree } from './plan.ts'
import { PlanError } from './plan.ts'

/**
 * The folder of the setting, relative to the repository; empty for the repository itself.
 *
 * @throws PlanError `bad_setting` if the folder is outside of the repository or does not exist
 */
export function workingDirectory(tree: SourceTree, setting: string | null): string {
  const wanted = setting?.trim() ?? ''
  if (/^[/\\]|^[A-Za-z]:|[\0\\]/.test(wanted)) throw bad(wanted, 'must be relative to the repository, with slashes')
  const parts = wanted.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw bad(wanted, 'must be inside the repository')
  const directory = parts.join('/')
  if (directory !== '' && !tree.paths.some((path) => path.startsWith(`${directory}/`))) {
    throw bad(wanted, 'is not a folder of this commit')
  }
  return directory
}

function bad(setting: string, problem: string): PlanError {
  return new PlanError('bad_setting', `The setting "workingDirectory" ${problem}: "${setting.slice(0, 200)}".`)
}
