import { relative } from 'node:path/posix'
import { list, table, text } from '../../manifests/values.ts'
import type { SimpleCommand } from '../command-line.ts'
import { parseCommandLine } from '../command-line.ts'

/** What tox or nox run for the tests of a project. */
export interface Automation {
  /** `tox.ini`, for messages. */
  path: string
  commands: AutomatedCommand[]
  /** Requirements and files with requirements, as tox writes them. */
  requirements: string[]
  /** Commands that only tox or nox can run, or that they run elsewhere. */
  omitted: string[]
}

export interface AutomatedCommand extends SimpleCommand {
  /** Where the command runs, relative to the project; empty for its folder. */
  directory: string
}

/** A word of a command in TOML, or what stands for the arguments of the person who runs tox. */
export function asWord(word: unknown): string[] {
  if (typeof word === 'string') return [/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", '')}'`]
  return table(word).replace === 'posargs' ? list(table(word).default).flatMap((item) => text(item) ?? []) : []
}

/**
 * Returns the command of a line; null for one that needs values that only tox knows.
 *
 * @param directory - the folder in which the command runs
 */
export function commandOf(line: string, directory: string): SimpleCommand | null {
  const root = directory === '' ? './' : `${relative(directory, '.')}/`
  const plain = line
    // A minus lets tox ignore a failure.
    .replace(/^-\s*/, '')
    .replace(/\{posargs(?::([^{}]*))?\}/g, '$1')
    .replace(/\[\]/g, '')
    .replace(/\{(?:envpython|env_python)\}/g, 'python')
    .replace(/\{(?:toxinidir|tox_root)\}\/?/g, root)
    .replace(/\{(?:changedir|change_dir)\}\/?/g, './')
  const [command, ...more] = parseCommandLine(plain) ?? []
  if (!command || more.length > 0) return null
  const words = command.words.filter(({ text: word }) => !(word.startsWith('-') && /\{\w+/.test(word)))
  return words.some(({ text: word }) => /\{\w+/.test(word)) ? null : { ...command, words }
}

/** Whether the command starts a runner of Python tests, directly or with another program. */
export const isOfTests = ({ words }: SimpleCommand): boolean =>
  words.some(({ text: word }) => /^(?:pytest|py\.test|unittest)$/.test(word))
