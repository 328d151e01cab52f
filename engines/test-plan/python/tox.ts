import { parseIni } from '../../manifests/ini.ts'
import { list, type Table, table, text } from '../../manifests/values.ts'
import type { SimpleCommand } from '../command-line.ts'
import { parseCommandLine } from '../command-line.ts'
import type { Folder } from '../folder.ts'
import { readManifest } from '../folder.ts'

/** What tox or nox run for the tests of a project. */
export interface Automation {
  /** `tox.ini`, for messages. */
  path: string
  commands: SimpleCommand[]
  /** Requirements and files with requirements, as tox writes them. */
  requirements: string[]
}

const maxLines = 50

/** Reads the commands of tox or nox; null if there are none that can be read without running them. */
export async function readAutomation(folder: Folder, toml: Table): Promise<Automation | null> {
  const tool = table(table(toml.tool).tox)
  const inline = text(tool.legacy_tox_ini) === undefined ? undefined : String(tool.legacy_tox_ini)
  const sources = [
    ['tox.ini', await readManifest(folder, 'tox.ini', parseIni)],
    ['pyproject.toml', inline === undefined ? null : parseIni(inline)],
    ['setup.cfg', await readManifest(folder, 'setup.cfg', parseIni)],
  ] as const
  for (const [path, sections] of sources) {
    const section = sections?.get('testenv')
    const commands = linesOf(section?.get('commands')).flatMap(commandOf)
    if (commands.length > 0) return { path, commands, requirements: linesOf(section?.get('deps')) }
  }
  const base = { ...table(tool.env_run_base), ...table(table(tool.env).test) }
  const commands = list(base.commands).flatMap((words) => commandOf(list(words).flatMap(wordOf).join(' ')))
  if (commands.length > 0) return { path: 'pyproject.toml', commands, requirements: textsOf(base.deps) }
  return ofNox(await folder.read('noxfile.py'))
}

/** Lines of an ini file, of which one that ends in a backslash goes on. */
function linesOf(value: string | undefined): string[] {
  return (value ?? '')
    .replaceAll(/\\\r?\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, maxLines)
}

const textsOf = (value: unknown) => list(value).flatMap((item) => text(item) ?? [])

/** A word of a command in TOML, or what stands for the arguments of the person who runs tox. */
function wordOf(word: unknown): string[] {
  if (typeof word === 'string') return [/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", '')}'`]
  return table(word).replace === 'posargs' ? textsOf(table(word).default) : []
}

/** Returns the command of a line; none for one that needs values that only tox knows. */
function commandOf(line: string): SimpleCommand[] {
  const plain = line
    // For some environments only: `py311: pytest`. A minus lets tox ignore a failure.
    .replace(/^[\w,{}!.-]+:\s+/, '')
    .replace(/^-\s*/, '')
    .replace(/\{posargs(?::([^{}]*))?\}/g, '$1')
    .replace(/\[\]/g, '')
    .replace(/\{(?:envpython|env_python)\}/g, 'python')
    .replace(/\{(?:toxinidir|tox_root|changedir|change_dir)\}\/?/g, './')
  const [command, ...more] = parseCommandLine(plain) ?? []
  if (!command || more.length > 0) return []
  const words = command.words.filter(({ text: word }) => !(word.startsWith('-') && /\{\w+/.test(word)))
  return words.some(({ text: word }) => /\{\w+/.test(word)) ? [] : [{ ...command, words }]
}

/** Reads sessions that consist of literals. */
function ofNox(source: string | null): Automation | null {
  if (source === null) return null
  const code = source.slice(0, 100_000)
  const calls = [...code.matchAll(/\bsession\.(run|install)\(([^()]{1,2000})\)/g)]
  const read = (name: string) =>
    calls.filter(([, called]) => called === name).flatMap(([, , args = '']) => literalsOf(args) ?? [])
  const runs = calls
    .filter(([, called]) => called === 'run')
    .flatMap(([, , args = '']) => {
      const words = literalsOf(args)
      return words?.some((word) => /^(?:pytest|unittest|coverage)$/.test(word))
        ? commandOf(words.flatMap(wordOf).join(' '))
        : []
    })
  return runs.length > 0 ? { path: 'noxfile.py', commands: runs, requirements: read('install') } : null
}

/** Returns the texts of arguments that are literals, besides the arguments of the person who runs nox. */
function literalsOf(args: string): string[] | null {
  const words: string[] = []
  for (const arg of args.split(',').map((part) => part.trim())) {
    const literal = /^(?:"([^"\\]*)"|'([^'\\]*)')$/.exec(arg)
    if (literal) words.push(literal[1] ?? literal[2] ?? '')
    else if (arg !== '' && !/^\*session\.posargs$|^\w+\s*=/.test(arg)) return null
  }
  return words
}
