import { homedir } from 'node:os'
import { join } from 'node:path'
import { GitError, type GitSetting, runGit } from '../git.ts'
import type { LocalRepository } from '../local.ts'

/** What decides which content `git add` would store for the user. */
export interface UserSettings {
  settings: GitSetting[]
  /** The filters for which the user has a program. Their programs are never started. */
  filters: ReadonlySet<string>
  /** Whether the executable bit of a file counts. */
  isModeTrusted: boolean
}

const boolean = /^(?:true|false|yes|no|on|off|0|1|)$/i

/** The settings that are taken over, by what their values may be. None of them can name a program. */
const harmless: ReadonlyMap<string, RegExp | 'path'> = new Map<string, RegExp | 'path'>([
  ['core.autocrlf', /^(?:true|false|yes|no|on|off|0|1|input|)$/i],
  ['core.eol', /^(?:lf|crlf|native)$/i],
  ['core.filemode', boolean],
  ['core.ignorecase', boolean],
  ['core.precomposeunicode', boolean],
  ['core.symlinks', boolean],
  ['core.sparsecheckout', boolean],
  ['core.excludesfile', 'path'],
  ['core.attributesfile', 'path'],
])

const wanted = `^(${[...harmless.keys()].join('|').replaceAll('.', String.raw`\.`)}|filter\\..*\\.(clean|process))$`

/**
 * Reads the few settings of the user, the machine and the repository that decide how git converts and lists files.
 * Git, reading settings, starts nothing; of all values only harmless ones are kept.
 */
export async function readUserSettings(repository: LocalRepository, signal: AbortSignal): Promise<UserSettings> {
  const home = homedir()
  const values = new Map<string, string>([
    ['core.filemode', 'true'],
    ['core.symlinks', 'true'],
    ['core.excludesfile', join(home, '.config/git/ignore')],
    ['core.attributesfile', join(home, '.config/git/attributes')],
  ])
  const filters = new Map<string, boolean>()
  for (const [key, value] of await listSettings(repository, home, signal)) {
    const [, filter] = /^filter\.(.*)\.(?:clean|process)$/s.exec(key) ?? []
    if (filter !== undefined) {
      filters.set(filter, filters.get(filter) === true || value !== '')
      continue
    }
    const allowed = harmless.get(key)
    if (allowed === 'path')
      values.set(
        key,
        value.replace(/^~(?=\/)/, () => home),
      )
    else if (allowed?.test(value)) values.set(key, value)
  }
  return {
    settings: [
      ...values,
      // The copy of the index is written as one file with all entries.
      ['core.splitIndex', 'false'],
      ['index.sparse', 'false'],
      ['core.safecrlf', 'false'],
    ],
    filters: new Set([...filters].filter(([, isUsed]) => isUsed).map(([name]) => name)),
    isModeTrusted: /^(?:true|yes|on|1|)$/i.test(values.get('core.filemode') ?? ''),
  }
}

async function listSettings(
  repository: LocalRepository,
  home: string,
  signal: AbortSignal,
): Promise<[key: string, value: string][]> {
  let output
  try {
    output = await runGit({
      args: ['config', '--show-scope', '-z', '--get-regexp', wanted],
      gitDir: repository.gitDir,
      environment: { HOME: home, GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined },
      signal,
    })
  } catch (error) {
    // No setting matches, or the settings cannot be read, in which case other commands fail as well.
    if (error instanceof GitError) return []
    throw error
  }
  const records = output.split('\0')
  const settings: [string, string][] = []
  for (let index = 0; index + 1 < records.length; index += 2) {
    // Our own settings have the scope of the command.
    if (records[index] === 'command') continue
    const [key = '', ...lines] = (records[index + 1] ?? '').split('\n')
    settings.push([key, lines.join('\n')])
  }
  return settings
}
