import { join } from 'node:path/posix'
import { table, text } from '../../manifests/values.ts'
import type { SimpleCommand, Word } from '../command-line.ts'
import { quoted } from '../command-line.ts'
import type { TestPlan } from '../ecosystem.ts'
import { step } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import type { PlanType } from '../plan.ts'
import { foldersOfType } from '../test-folders.ts'
import { venv } from './install.ts'
import { coverageFolder, measuredByCoverage } from './measure.ts'
import { readPytestSettings } from './pytest-settings.ts'
import type { PythonProject } from './project.ts'
import { readProject } from './project.ts'
import { coverageThreshold } from '../selectors.ts'
import { testFilesOf, usesPytest } from './runner.ts'

const valued = [
  '-k',
  '-m',
  '-n',
  '-p',
  '-c',
  '-o',
  '-W',
  '--rootdir',
  '--confcutdir',
  '--ignore',
  '--deselect',
  '--maxfail',
  '--dist',
]
const dropped = /^(?:(?:--junitxml|--junit-xml|--pdb|-f|--looponfail)(?:=|$)|--cov-report=(?:xml.*)?$)/

const maxNotes = 10

export async function pythonTests(folder: Folder, type: PlanType): Promise<TestPlan[]> {
  const project = await readProject(folder)
  const folders = foldersOfType(folder, type)
  const files = testFilesOf(folder)
  const configured = (await readPytestSettings(folder)) !== null
  if (files.length === 0 && !configured) return []
  const { plans, notes } = type === 'ALL' ? await testsOfAutomation(folder, project) : { plans: [], notes: [] }
  if (plans.length === 0) plans.push(await ownPlan(folder, project, folders))
  return plans.map((plan, at) => (at === 0 ? { ...plan, notes: [...plan.notes, ...notes] } : plan))
}

async function ownPlan(folder: Folder, project: PythonProject, folders: readonly string[]): Promise<TestPlan> {
  if (await usesPytest(folder, project))
    return pytestPlan(folder, project, folders.map(plainWord), {}, await whyPytest(folder, project))
  return unittestPlan(folder, project, folders, 'the tests are written with unittest, which is part of Python')
}

/** Commands of tox that run no tests. */
const aside =
  /^(?:(?:python3? -m )?(?:coverage (?!run)|pip|codecov|coveralls|flake8|mypy|ruff|black|isort|pylint|pyright|bandit|sphinx|twine|build|pre-commit)|python3? (?:-V|--version)|echo )/

/** What tox or nox run, as far as these are plain commands of known runners, and notes about the other commands. */
async function testsOfAutomation(folder: Folder, project: PythonProject) {
  const { automation } = project
  const plans = new Map<string, TestPlan>()
  const omitted = [...(automation?.omitted ?? [])]
  for (const command of automation?.commands ?? []) {
    const because = `${automation?.path} has the command \`${command.source.slice(0, 100)}\``
    const plan = await planOfCommand(folder, project, command, because, { directory: command.directory })
    if (plan) plans.set(JSON.stringify(plan.test.argv), plan)
    else omitted.push(command.source)
  }
  const notes = omitted
    .filter((line) => !aside.test(line))
    .slice(0, maxNotes)
    .map((line) => `Assay does not run the command \`${line.slice(0, 100)}\` of ${automation?.path}.`)
  return { plans: [...plans.values()], notes }
}

/**
 * Adds reports and coverage to the plain command of a runner; null for other commands.
 *
 * @param options - the folder below the project in which the command is meant to run, and whether the settings give it
 */
export async function planOfCommand(
  folder: Folder,
  project: PythonProject,
  { words: all, environment }: SimpleCommand,
  because: string,
  { directory = '', isOwners = false } = {},
): Promise<TestPlan | null> {
  const texts = all.map(({ text }) => text)
  const launcher = /^(?:uv run|poetry run|pipenv run|coverage run -m|python3? -m coverage run -m) /.exec(
    `${texts.join(' ')} `,
  )?.[0]
  const words = all.slice(launcher ? launcher.trim().split(' ').length : 0)
  const [first = '', second = '', third = ''] = words.map(({ text }) => text)
  const isPython = /^python3?$/.test(first) && second === '-m'
  if (first === 'pytest' || first === 'py.test' || (isPython && third === 'pytest')) {
    const isMeasured = launcher?.includes('coverage') ?? false
    const given = seenFromProject(words.slice(isPython ? 3 : 1), directory)
    return given && pytestPlan(folder, project, given, environment, because, { isMeasured, isOwners })
  }
  const rest = words.slice(isPython ? 3 : 1).map(({ text }) => text)
  const plain = rest.every((word) => !word.startsWith('-') || word === '-v')
  if (directory !== '' || !((isPython && third === 'unittest') || (launcher && first === 'unittest')) || !plain)
    return null
  return unittestPlan(
    folder,
    project,
    rest.filter((word) => word !== 'discover' && word !== '-v'),
    because,
    environment,
  )
}

/** Returns the arguments for the folder of the project; null if an option has a path. */
function seenFromProject(words: readonly Word[], directory: string): readonly Word[] | null {
  if (directory === '') return words
  const { options, targets } = argumentsOf(words)
  const hasPath = (word: string) =>
    /^(?:-c|--(?:rootdir|confcutdir|ignore(?:-glob)?|deselect|cov-config))(?:=|$)/.test(word)
  if (options.some(hasPath)) return null
  const places = targets.length === 0 ? [directory] : targets.map((target) => join(directory, target))
  return [...options, ...places].map(plainWord)
}

export async function pytestPlan(
  folder: Folder,
  project: PythonProject,
  words: readonly Word[],
  environment: Readonly<Record<string, string>>,
  because: string,
  { isMeasured = false, isOwners = false } = {},
): Promise<TestPlan> {
  const { options, targets } = argumentsOf(words)
  const configured = (await readPytestSettings(folder))?.options ?? ''
  const line = [configured, ...options].join(' ')
  const asked = /(?:^|\s)--cov(?:=|\s|$)/.test(line)
  const inParallel = /(?:^|\s)(?:-n(?:=|\s*(?:\d|auto|logical))|--numprocesses)/.test(line)
  const report = ['--junitxml={output}/junit.xml', '-o', 'junit_family=xunit1']
  // A command that uses the plugin has it, even if no manifest names it.
  const plugin = project.dependencies.has('pytest-cov') || asked
  // Only a threshold of the settings decides about a run.
  const hasThreshold = isOwners && options.some((word) => coverageThreshold.test(word))
  // Only the plugin measures the processes of pytest-xdist.
  const tool = !plugin && (isMeasured || !inParallel)
  const cov = plugin
    ? [
        ...(asked ? [] : ['--cov']),
        '--cov-report=xml:{output}/coverage.xml',
        ...(hasThreshold ? [] : ['--cov-fail-under=0']),
      ]
    : []
  const python = `${venv}/bin/python`
  const args = ['-m', 'pytest', ...options, ...report, ...cov, ...targets]
  const own = { ...testEnvironment(folder), ...environment }
  const plain = ['-m', 'pytest', ...options, ...report, ...(plugin ? ['--no-cov'] : []), ...targets]
  const shuffle = shuffling(project)
  return {
    framework: 'pytest',
    ...(tool
      ? measuredByCoverage(python, args, { because, environment: own })
      : {
          test: step([python, ...args], { because, command: quoted(['python', ...args]), environment: own }),
          coverage: plugin ? ['{output}/coverage.xml'] : [],
        }),
    ...(plugin && {
      unmeasured: step([python, ...plain], { because, command: quoted(['python', ...plain]), environment: own }),
    }),
    ...(shuffle && { shuffle }),
    targetCount: targets.length,
    reports: ['{output}/junit.xml'],
    // 2 to 4 are errors of pytest itself, and 5 means that there was no test.
    failureExitCodes: [1],
    notes: plugin || tool ? [] : ['No coverage, because the processes of pytest-xdist require pytest-cov.'],
  }
}

/** pytest itself knows no other order than that of the files. */
function shuffling({ dependencies }: PythonProject): string[] | null {
  if (dependencies.has('pytest-randomly')) return ['-p', 'randomly', '--randomly-seed={seed}']
  return dependencies.has('pytest-random-order') ? ['--random-order', '--random-order-seed={seed}'] : null
}

export function unittestPlan(
  folder: Folder,
  project: PythonProject,
  targets: readonly string[],
  because: string,
  environment: Readonly<Record<string, string>> = {},
): TestPlan {
  const installs = project.installable || project.requirementFiles.length > 0 || project.dependencies.size > 0
  const python = installs ? `${venv}/bin/python` : 'python3'
  const base = [python, '{tools}/unittest_junit.py', '--output={output}/junit.xml']
  const details = {
    because,
    command: quoted(['python', '-m', 'unittest', ...(targets.length > 0 ? targets : ['discover'])]),
    environment: { ...testEnvironment(folder), ...environment },
  }
  return {
    framework: 'unittest',
    test: step([...base, '--coverage={output}/coverage.xml', `--coverage-from=${coverageFolder}`, ...targets], details),
    unmeasured: step([...base, ...targets], details),
    shuffle: ['--shuffle={seed}'],
    targetCount: targets.length,
    reports: ['{output}/junit.xml'],
    coverage: ['{output}/coverage.xml'],
    failureExitCodes: [1],
    notes: [],
  }
}

/** Packages of a src folder can be imported even if a cached install points to another path. */
function testEnvironment(folder: Folder): Record<string, string> {
  const place = folder.directory === '' ? '{root}' : `{root}/${folder.directory}`
  const hasSource = folder.paths.some((path) => /^src\/(?:[^/]+\/)?[^/]+\.py$/.test(path))
  return {
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
    VIRTUAL_ENV: venv,
    ...(hasSource && { PYTHONPATH: `${place}/src` }),
  }
}

async function whyPytest(folder: Folder, project: PythonProject): Promise<string> {
  if (project.dependencies.has('pytest')) return 'the manifests name pytest'
  if (Object.hasOwn(table(project.toml.tool), 'pytest')) return 'pyproject.toml has settings of pytest'
  const file = ['pytest.ini', 'conftest.py'].find((path) => folder.has(path))
  return file ? `the repository has ${text(file)}` : 'the tests are written for pytest'
}

function argumentsOf(words: readonly Word[]): { options: string[]; targets: string[] } {
  const options: string[] = []
  const targets: string[] = []
  for (let at = 0; at < words.length; at++) {
    const first = words[at]?.text ?? ''
    // As one word, because a command for a person leaves out what only measures.
    const isJoined = /^--(?:junitxml|junit-xml|cov-report|cov-config|cov-fail-under)$/.test(first)
    const following = isJoined || valued.includes(first) ? words[++at]?.text : undefined
    const word = isJoined && following !== undefined ? `${first}=${following}` : first
    const value = isJoined ? undefined : following
    if (!word.startsWith('-')) targets.push(word)
    else if (!dropped.test(word)) options.push(word, ...(value === undefined ? [] : [value]))
  }
  return { options, targets }
}

function plainWord(text: string): Word {
  return { text, pattern: false }
}
