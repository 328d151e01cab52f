import { dirname, join } from 'node:path/posix'
import { entries, table, text, texts } from '../../manifests/values.ts'
import { quoted } from '../command-line.ts'
import type { InstallPlan } from '../ecosystem.ts'
import type { InstallStep } from '../plan.ts'
import { installStep, shellStep } from '../ecosystem.ts'
import type { Folder } from '../folder.ts'
import { withoutComment } from '../folder.ts'
import { readPytestSettings } from './pytest-settings.ts'
import { ensureCoverage, fetchCoverage } from './measure.ts'
import type { PythonProject } from './project.ts'
import { readProject } from './project.ts'
import { usesPytest } from './runner.ts'

export const venv = '{deps}/venv'
const interpreter = `${venv}/bin/python`

/**
 * Packages of the machine stay visible, so that a project without other packages needs no network. With `-I`, Python
 * imports no module of the current folder, which is the repository.
 */
export const makeVenv = `{ [ -x ${interpreter} ] || python3 -I -m venv --system-site-packages ${venv} || uv venv --seed --system-site-packages ${venv}; }`

const deciding =
  /^(?:pyproject\.toml|setup\.py|setup\.cfg|tox\.ini|uv\.lock|poetry\.lock|pdm\.lock|Pipfile|Pipfile\.lock|(?=.*\.txt$).*constraints.*)$/
const anyRequirements =
  /(?:^|\/)(?=[\w.-]*\.(?:txt|in|pip)$)[\w.-]*requirements|(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/

const pretendVersions = {
  SETUPTOOLS_SCM_PRETEND_VERSION: '9999.0.0',
  PBR_VERSION: '9999.0.0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
  POETRY_NO_INTERACTION: '1',
}

export async function pythonInstall(folder: Folder): Promise<InstallPlan> {
  const project = await readProject(folder)
  const manager = managerOf(folder, project)
  const pytest = await usesPytest(folder, project)
  const made = linesFor(manager, folder, project)
  if (made.lines.length === 0 && !pytest)
    return { manager: null, install: onlyCoverage(folder), prepare: [], notes: [] }
  const ensurePytest = pytest
    ? [`{ ${interpreter} -I -c 'import pytest' 2>/dev/null || ${interpreter} -I -m pip install pytest; }`]
    : []
  const asksForPlugin = /(?:^|\s)--cov(?:=|\s|$)/.test((await readPytestSettings(folder))?.options ?? '')
  const ensurePlugin = asksForPlugin
    ? [`{ ${interpreter} -I -c 'import pytest_cov' 2>/dev/null || ${interpreter} -I -m pip install pytest-cov; }`]
    : []
  const uncached = await whyUncached(folder, project)
  const lockfiles = [
    ...folder.paths.filter((path) => deciding.test(path) || anyRequirements.test(path)),
    ...project.requirementFiles,
  ]
  const step = shellStep(
    [makeVenv, ...made.lines, ...ensurePytest, ...ensurePlugin, ensureCoverage(interpreter)].join(' && '),
    {
      because: made.because,
      command: made.command,
      environment: { ...pretendVersions, ...made.environment },
    },
  )
  return {
    manager: made.lines.length === 0 ? null : manager,
    install: installStep(step, {
      lockfiles: uncached ? [] : lockfiles.map((path) => folder.inRepository(path)),
      readsTree: !(manager === 'pip' && (await installsOnlyPackages(folder, project))),
      fillsDeps: true,
    }),
    prepare: [],
    notes: uncached ? [`The install is not cached, because ${uncached}.`] : [],
  }
}

/** The tests need no packages, and run with the interpreter of the machine. The package depends on no file; one names the kept install. */
function onlyCoverage(folder: Folder): InstallStep {
  const made = shellStep(fetchCoverage, {
    command: 'pip install coverage',
    because: 'coverage shows which lines the tests run',
    environment: { PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_INPUT: '1' },
  })
  const program = folder.paths.find((path) => path.endsWith('.py'))
  return installStep(made, {
    lockfiles: program === undefined ? [] : [folder.inRepository(program)],
    readsTree: false,
    fillsDeps: true,
  })
}

interface Lines {
  lines: string[]
  command: string
  because: string
  environment?: Record<string, string>
}

function managerOf(folder: Folder, project: PythonProject): 'uv' | 'poetry' | 'pipenv' | 'pip' {
  const poetry = table(table(project.toml.tool).poetry)
  if (folder.has('uv.lock')) return 'uv'
  const byPoetry =
    Object.hasOwn(poetry, 'dependencies') || Object.hasOwn(poetry, 'group') || Object.hasOwn(poetry, 'dev-dependencies')
  if (folder.has('poetry.lock') || byPoetry) return 'poetry'
  if (folder.has('Pipfile')) return 'pipenv'
  return 'pip'
}

function linesFor(manager: string, folder: Folder, project: PythonProject): Lines {
  if (manager === 'uv') return uvLines(project)
  if (manager === 'poetry') return poetryLines(folder, project)
  if (manager === 'pipenv') {
    const line = folder.has('Pipfile.lock') ? 'pipenv sync --dev' : 'pipenv install --dev --skip-lock'
    return throughTool('pipenv', line, `the repository has ${folder.has('Pipfile.lock') ? 'Pipfile.lock' : 'Pipfile'}`)
  }
  return pipLines(project)
}

function uvLines(project: PythonProject): Lines {
  const options = [
    ...project.extras.flatMap((name) => ['--extra', name]),
    ...project.groups.flatMap((name) => ['--group', name]),
  ]
  const line = quoted(['uv', 'sync', '--frozen', ...options])
  return throughTool('uv', line, 'the repository has uv.lock', { UV_PROJECT_ENVIRONMENT: venv, UV_LINK_MODE: 'copy' })
}

function poetryLines(folder: Folder, project: PythonProject): Lines {
  const optional = entries(table(table(table(project.toml.tool).poetry).group))
    .filter(([name, group]) => project.groups.includes(name) && table(group).optional === true)
    .flatMap(([name]) => ['--with', name])
  const extras = project.extras.flatMap((name) => ['--extras', name])
  const line = quoted(['poetry', 'install', '--no-interaction', ...optional, ...extras])
  const why = folder.has('poetry.lock') ? 'the repository has poetry.lock' : 'pyproject.toml has settings of Poetry'
  return throughTool('poetry', line, why, { POETRY_VIRTUALENVS_CREATE: 'false' })
}

/** Runs a package manager inside the virtual environment, and installs it if the machine does not have it. */
function throughTool(name: string, line: string, why: string, environment: Record<string, string> = {}): Lines {
  const fetch = `{ command -v ${name} >/dev/null || { python3 -I -m venv {deps}/tools && {deps}/tools/bin/pip install ${name}; }; }`
  return {
    lines: [fetch, `PATH="${venv}/bin:{deps}/tools/bin:$PATH" && export PATH`, line],
    command: line,
    because: why,
    environment: { VIRTUAL_ENV: venv, PIPENV_VERBOSITY: '-1', ...environment },
  }
}

function pipLines(project: PythonProject): Lines {
  const extras = project.extras.length > 0 ? `[${project.extras.join(',')}]` : ''
  const files = project.requirementFiles.flatMap((path) => ['-r', path])
  const tools = [...texts(table(table(table(project.toml.tool).uv))['dev-dependencies']), ...ofAutomation(project)]
  const own = project.installable && (project.needsPackages || extras !== '' || folderNeedsBuild(project))
  const arguments_ = [...files, ...(own ? ['-e', `.${extras}`] : []), ...project.groupRequirements, ...tools]
  const pip = (...args: string[]) => quoted([interpreter, '-I', '-m', 'pip', 'install', ...args])
  const lines = arguments_.length > 0 ? [pip(...arguments_)] : []
  // Its metadata and data files may matter to tests, but it can be imported without.
  if (project.installable && !own) lines.push(`{ ${pip('--no-build-isolation', '--no-deps', '-e', '.')} || true; }`)
  const sources = [
    ...project.requirementFiles,
    ...(own ? ['the package itself'] : []),
    ...(project.groupRequirements.length > 0 ? ['dependency groups of pyproject.toml'] : []),
  ]
  return {
    lines,
    command:
      arguments_.length > 0 ? quoted(['pip', 'install', ...arguments_]) : 'python -m venv --system-site-packages venv',
    because:
      sources.length > 0
        ? `${sources.slice(0, 5).join(' and ')} ${sources.length === 1 ? 'says' : 'say'} what the tests need; packages of the machine are used where they fit`
        : 'no manifest asks for packages, so those of the machine do, and only pytest is fetched if it is missing',
  }
}

/** The packages that tox or nox install, and that an index has. Values that only tox knows are left out. */
function ofAutomation({ automation }: PythonProject): string[] {
  return (automation?.requirements ?? []).filter((line) => isOfIndex(line) && !/[{}]|^\w+:/.test(line)).slice(0, 100)
}

/** A requirement that names a package of an index: no URL, no path, and no file of a package. */
const requirement = /^[A-Za-z0-9][\w\s.*<>=!~,;'"()[\]+-]*$/
const packageFile = /\.(?:whl|egg|zip|tar|tgz|gz|bz2|xz|tbz|tlz)$/i
const harmlessOption =
  /^(?:--hash=\w+:\w+|(?:-i|--index-url|--extra-index-url)[ =]https:\S+|--(?:pre|prefer-binary|only-binary|no-binary|require-hashes)(?:[ =][\w:.,-]+)?)$/
const otherFile = /^(?:-[rc]|--(?:requirement|constraint))[ =]([\w./-]+)$/

/**
 * Whether pip only installs packages of an index. The package itself, and packages of folders, are built by code of the
 * repository.
 */
async function installsOnlyPackages(folder: Folder, project: PythonProject): Promise<boolean> {
  if (project.installable) return false
  const tools = texts(table(table(table(project.toml.tool).uv))['dev-dependencies'])
  if (![...project.groupRequirements, ...tools].every(isOfIndex)) return false
  for (const path of project.requirementFiles) {
    const source = await folder.read(path)
    const isPlain = (line: string): boolean => {
      const [, other] = otherFile.exec(line) ?? []
      if (other !== undefined) return project.requirementFiles.includes(join(dirname(path), other))
      return line === '' || harmlessOption.test(line) || isOfIndex(line)
    }
    if (source === null || !linesOf(source).every(isPlain)) return false
  }
  return true
}

/** The lines without comments. Options that follow a requirement are lines, too. */
const linesOf = (source: string): string[] =>
  source
    .replaceAll(/\\\r?\n|\s(?=--hash=)/g, '\n')
    .split('\n')
    .map((line) => withoutComment(line).trim())

const isOfIndex = (line: string): boolean => requirement.test(line) && !packageFile.test(line)

function folderNeedsBuild(project: PythonProject): boolean {
  return compiledBackend.test(text(table(project.toml['build-system'])['build-backend']) ?? '')
}

const compiledBackend = /maturin|scikit_build_core|mesonpy|setuptools_rust|pdm\.backend\.build|enscons/
const writesVersion = /\b(?:write_to|version_file|version-file|write_to_template)\b/

/** An editable install leaves files in the repository that no cache of ours holds. */
async function whyUncached(folder: Folder, project: PythonProject): Promise<string | null> {
  const setup = (await folder.read('setup.py')) ?? ''
  const pyproject = (await folder.read('pyproject.toml')) ?? ''
  if (folderNeedsBuild(project)) return 'the build of the package compiles code into the repository'
  if (
    /\bext_modules\b|\bcythonize\b|\bcffi_modules\b|rust_extensions/.test(setup) ||
    folder.paths.some((path) => /^(?!tests?\/).*\.pyx$/.test(path))
  ) {
    return 'the build of the package compiles code into the repository'
  }
  if (writesVersion.test(pyproject) || writesVersion.test(setup))
    return 'the build of the package writes its version into the repository'
  return null
}
