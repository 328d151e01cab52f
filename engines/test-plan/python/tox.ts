import { join } from 'node:path/posix'
import { parseIni } from '../../manifests/ini.ts'
import { entries, list, type Table, table, text } from '../../manifests/values.ts'
import type { Folder } from '../folder.ts'
import { readManifest } from '../folder.ts'
import type { AutomatedCommand, Automation } from './automation.ts'
import { asWord, commandOf, isOfTests } from './automation.ts'
import { readNox } from './nox.ts'

/** The settings of tox in one place, with lines as in an ini file. */
interface Settings {
  path: string
  commands: string[]
  variables: string[]
  directory: string
  requirements: string[]
}

const maxLines = 50
const maxConditionLength = 200

/** Reads the commands of tox or nox; null if there are none. */
export async function readAutomation(folder: Folder, toml: Table): Promise<Automation | null> {
  const read = (await settingsOf(folder, toml)).map((settings) => automationOf(settings, folder))
  const runnable = read.find(({ commands }) => commands.length > 0) ?? readNox(await folder.read('noxfile.py'))
  if (runnable) return runnable
  const unread = read.find(({ omitted }) => omitted.length > 0)
  return unread ? { ...unread, requirements: [] } : null
}

async function settingsOf(folder: Folder, toml: Table): Promise<Settings[]> {
  const tool = table(table(toml.tool).tox)
  const inline = text(tool.legacy_tox_ini) === undefined ? undefined : String(tool.legacy_tox_ini)
  const sources = [
    ['tox.ini', await readManifest(folder, 'tox.ini', parseIni)],
    ['pyproject.toml', inline === undefined ? null : parseIni(inline)],
    ['setup.cfg', await readManifest(folder, 'setup.cfg', parseIni)],
  ] as const
  const base = { ...table(tool.env_run_base), ...table(table(tool.env).test) }
  return [
    ...sources.map(([path, sections]) => {
      const section = sections?.get('testenv')
      return {
        path,
        commands: linesOf(section?.get('commands')),
        variables: linesOf(section?.get('setenv') ?? section?.get('set_env')),
        directory: section?.get('changedir') ?? section?.get('change_dir') ?? '',
        requirements: linesOf(section?.get('deps')),
      }
    }),
    {
      path: 'pyproject.toml',
      commands: list(base.commands).map((words) => list(words).flatMap(asWord).join(' ')),
      variables: entries(table(base.set_env)).flatMap(([name, value]) =>
        typeof value === 'string' ? [`${name}=${value}`] : [],
      ),
      directory: text(base.change_dir) ?? '',
      requirements: list(base.deps).flatMap((item) => text(item) ?? []),
    },
  ]
}

function automationOf(
  { path, commands: lines, variables, directory: written, requirements }: Settings,
  folder: Folder,
) {
  const inProject = join('.', written.trim().replace(/^\{(?:toxinidir|tox_root)\}\/?/, ''))
  // Tests in a folder that tox makes name the files of the repository in full.
  const directory = /^\.\.|^[./]$|\{/.test(inProject) ? '' : inProject.replace(/\/$/, '')
  const environment = variablesOf(variables, folder)
  const read = lines.map((line) => {
    const { condition, rest } = conditional(line)
    const command = commandOf(rest, directory)
    return { line: rest, fit: fitOf(condition), command }
  })
  const runsAlways = read.some(({ fit, command }) => fit === 'always' && command && isOfTests(command))
  const version = runsAlways ? undefined : read.find((one) => one.fit === 'version' && one.command)
  const commands: AutomatedCommand[] = []
  const omitted: string[] = []
  for (const one of read) {
    if (one.command && (one.fit === 'always' || one === version)) {
      commands.push({ ...one.command, environment: { ...environment, ...one.command.environment }, directory })
    } else omitted.push(one.line)
  }
  return { path, commands, requirements, omitted }
}

function conditional(line: string): { condition: string | undefined; rest: string } {
  const [, condition, rest = line] = /^([\w,{}!.-]+):\s+(.*)$/s.exec(line) ?? []
  return { condition, rest }
}

type Fit = 'always' | 'version' | 'never'

/** Whether a condition such as `py27,py3{11,12}-!cov` holds in an environment that has only Python's version as name. */
function fitOf(condition: string | undefined): Fit {
  if (condition === undefined) return 'always'
  if (condition.length > maxConditionLength) return 'never'
  const fits = alternatives(condition).map((alternative): Fit => {
    const factors = alternative.split('-')
    if (factors.every((factor) => /^(?:py3?|!(?!py3?$).*)$/.test(factor))) return 'always'
    return factors.every((factor) => /^(?:py(?:3[\d.]*)?|!(?!py3?$).*)$/.test(factor)) ? 'version' : 'never'
  })
  return (['always', 'version'] as const).find((fit) => fits.includes(fit)) ?? 'never'
}

/** Splits at commas and writes out the first braces. */
function alternatives(condition: string): string[] {
  const [, before = '', inside, after = ''] = /^([^{}]*)\{([^{}]*)\}(.*)$/s.exec(condition) ?? []
  if (inside === undefined) return condition.split(',')
  return inside.split(',').flatMap((part) => `${before}${part}${after.replaceAll(/[{}]/g, '')}`.split(','))
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

/** Reads variables, besides those with values that only tox knows. */
function variablesOf(lines: readonly string[], folder: Folder): Record<string, string> {
  const root = folder.directory === '' ? '{root}' : `{root}/${folder.directory}`
  const variables: Record<string, string> = {}
  for (const line of lines) {
    const { condition, rest } = conditional(line)
    const at = rest.indexOf('=')
    const [name, value] = [rest.slice(0, at).trim(), rest.slice(at + 1).trim()]
    const inProject = /^\{(?:toxinidir|tox_root)\}/.test(value)
    const plain = inProject ? value.slice(value.indexOf('}') + 1) : value
    if (!/^[A-Za-z_]\w*$/.test(name) || /[{}]/.test(plain) || fitOf(condition) !== 'always') continue
    variables[name] = inProject ? `${root}${plain}` : plain
  }
  return variables
}
