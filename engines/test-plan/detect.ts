import { parseCommandLine } from './command-line.ts'
import { csharp } from './dotnet.ts'
import type { Ecosystem, InstallPlan, TestPlan } from './ecosystem.ts'
import { nothingToInstall } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { openFolder } from './folder.ts'
import { go } from './go.ts'
import { gradle } from './gradle.ts'
import { planInstall } from './install-inputs.ts'
import { javascript } from './javascript.ts'
import { testsThroughScript } from './javascript/through-script.ts'
import { maven } from './maven.ts'
import { ownersInstall, ownersTests } from './owner.ts'
import { php } from './php.ts'
import type { PlanPart, PlanSettings, PlanType, RunPlan, SourceTree } from './plan.ts'
import { PlanError } from './plan.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'
import { workingDirectory } from './working-directory.ts'
import { isVendored } from '../languages/path-rules.ts'

const ecosystems: readonly Ecosystem[] = [javascript, python, go, rust, maven, gradle, ruby, php, csharp]

const maxDepth = 3
const maxFolders = 5
const maxMembers = 20
const notPrograms =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures?|__fixtures__|examples?|samples?|demos?|templates?|testdata|test-data|tests?|specs?|docs?|website|benchmarks?|dist|build|target|\.[^/]+)(?:\/|$)/i

/**
 * How the tests of a commit are run.
 *
 * @throws PlanError that names the setting to fill in, if the files do not show it
 */
export async function detectPlan(tree: SourceTree, settings: PlanSettings, type: PlanType): Promise<RunPlan> {
  const folder = openFolder(tree, workingDirectory(tree, settings.workingDirectory))
  const own = settings.testCommand?.trim()
  const parts = own ? await partsForCommand(tree, folder, own) : await detectParts(tree, folder, type)
  return { parts: withSettings(parts, settings) }
}

async function partsForCommand(tree: SourceTree, folder: Folder, line: string): Promise<PlanPart[]> {
  const parts = await partsThroughScript(tree, folder, line)
  return parts.length > 0 ? parts : [await partForCommand(folder, line)]
}

/** Returns the parts of the script that a command such as `npm test` runs; none for other commands and unknown scripts. */
async function partsThroughScript(tree: SourceTree, folder: Folder, line: string): Promise<PlanPart[]> {
  const [command, ...more] = parseCommandLine(line) ?? []
  if (!command || more.length > 0 || !javascript.claims(folder)) return []
  try {
    const tests = await testsThroughScript(folder, command)
    return tests === null ? [] : await partsOfTests(tree, folder, javascript, 'ALL', tests)
  } catch (error) {
    // The command may run anyway.
    if (error instanceof PlanError) return []
    throw error
  }
}

/** The command of the setting decides what runs. The install is still detected. */
async function partForCommand(folder: Folder, line: string): Promise<PlanPart> {
  const claimed = ecosystems.filter((ecosystem) => ecosystem.claims(folder))
  const { tests, ecosystem } = await ownersTests(folder, line, ecosystems, claimed)
  const main = ecosystem ?? claimed[0]
  const install = main ? await installOrNote(main, folder) : nothingToInstall
  return partOf(main, folder, install, tests)
}

/** An unreadable manifest does not prevent the command of the settings from running. */
async function installOrNote(ecosystem: Ecosystem, folder: Folder): Promise<InstallPlan> {
  try {
    return await planInstall(ecosystem, folder)
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    return { ...nothingToInstall, notes: [`No dependencies are installed: ${error.message}`] }
  }
}

async function detectParts(tree: SourceTree, root: Folder, type: PlanType): Promise<PlanPart[]> {
  const problems: PlanError[] = []
  const here = await partsOf(root, type, problems)
  if (here.length > 0) return here
  const parts: PlanPart[] = []
  let folders = 0
  for (const directory of subfolders(root)) {
    // Folders inside of a found folder belong to it.
    if (parts.some((part) => directory.startsWith(`${relative(root, part.directory)}/`))) continue
    const found = await partsOf(openFolder(tree, root.inRepository(directory)), type, problems)
    parts.push(...found)
    if (found.length > 0 && ++folders === maxFolders) break
  }
  if (parts.length > 0) return parts
  throw problems[0] ?? nothingFound(root)

  async function partsOf(folder: Folder, type: PlanType, problems: PlanError[]): Promise<PlanPart[]> {
    const found: PlanPart[] = []
    for (const ecosystem of ecosystems) {
      if (!ecosystem.claims(folder)) continue
      try {
        found.push(...(await partsOfEcosystem(tree, folder, ecosystem, type)))
      } catch (error) {
        if (!(error instanceof PlanError)) throw error
        problems.push(error)
      }
    }
    return found
  }
}

async function partsOfEcosystem(
  tree: SourceTree,
  folder: Folder,
  ecosystem: Ecosystem,
  type: PlanType,
): Promise<PlanPart[]> {
  return partsOfTests(tree, folder, ecosystem, type, await ecosystem.tests(folder, type))
}

async function partsOfTests(
  tree: SourceTree,
  folder: Folder,
  ecosystem: Ecosystem,
  type: PlanType,
  tests: readonly TestPlan[],
): Promise<PlanPart[]> {
  const install = await planInstall(ecosystem, folder)
  if (tests.length > 0) {
    return Promise.all(
      tests.map((plan, at) =>
        partOf(ecosystem, folder, at === 0 ? install : { ...nothingToInstall, manager: install.manager }, plan),
      ),
    )
  }
  return partsOfMembers(tree, folder, ecosystem, type, install)
}

/** The root's install serves all packages of a workspace; it runs with the first of them that has tests. */
async function partsOfMembers(
  tree: SourceTree,
  folder: Folder,
  ecosystem: Ecosystem,
  type: PlanType,
  install: InstallPlan,
): Promise<PlanPart[]> {
  const parts: PlanPart[] = []
  let unsupported: PlanError | null = null
  for (const directory of (await ecosystem.members?.(folder)) ?? []) {
    if (parts.length === maxMembers) break
    const member = openFolder(tree, folder.inRepository(directory))
    try {
      for (const plan of await ecosystem.tests(member, type)) {
        const first = parts.length === 0
        parts.push(
          await partOf(
            ecosystem,
            member,
            first ? atRoot(install, folder) : { ...nothingToInstall, manager: install.manager },
            plan,
          ),
        )
      }
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      unsupported ??= error
    }
  }
  if (parts.length === 0 && unsupported) throw unsupported
  return parts
}

function atRoot(install: InstallPlan, root: Folder): InstallPlan {
  const place = root.directory === '' ? '{root}' : `{root}/${root.directory}`
  const wrapped = <Made extends PlanPart['test']>(step: Made): Made => ({
    ...step,
    argv: ['sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', place, ...step.argv],
  })
  return { ...install, install: install.install && wrapped(install.install), prepare: install.prepare.map(wrapped) }
}

async function partOf(
  ecosystem: Ecosystem | undefined,
  folder: Folder,
  install: InstallPlan,
  tests: TestPlan,
): Promise<PlanPart> {
  const { prepare = [], ...plan } = tests
  const name = ecosystem?.name ?? 'custom'
  const testFiles = tests.testFiles ?? (await ecosystem?.collected?.(folder, tests))
  return {
    directory: folder.directory,
    ecosystem: name === 'gradle' || name === 'maven' ? 'java' : name,
    manager: install.manager,
    install: install.install,
    ...plan,
    ...(testFiles && { testFiles }),
    prepare: [...install.prepare, ...prepare],
    notes: [...install.notes, ...plan.notes],
  }
}

/** Only the first part installs; the report globs apply to every part. */
function withSettings(parts: readonly PlanPart[], settings: PlanSettings): PlanPart[] {
  return parts.map((part, at) => ({
    ...part,
    ...(settings.installCommand !== null && ownersInstall(settings.installCommand, part, at === 0)),
    ...(settings.reportGlobs.length > 0 && { reports: [...part.reports, ...settings.reportGlobs] }),
    ...(settings.coverageGlobs.length > 0 && { coverage: [...part.coverage, ...settings.coverageGlobs] }),
  }))
}

function subfolders(root: Folder): string[] {
  const found = new Set<string>()
  for (const path of root.paths) {
    const parts = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= Math.min(maxDepth, parts.length); depth++) found.add(parts.slice(0, depth).join('/'))
  }
  return [...found]
    .filter((directory) => !notPrograms.test(directory) && !isVendored(`${directory}/`))
    .toSorted((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
}

function relative(root: Folder, directory: string): string {
  return root.directory === '' ? directory : directory.slice(root.directory.length + 1)
}

function nothingFound(root: Folder): PlanError {
  const place = root.directory === '' ? 'The repository' : `The folder ${root.directory}`
  const hint =
    'Set "testCommand" (and "installCommand" if the tests need dependencies), or "workingDirectory" if the program is in a subfolder.'
  const claimed = ecosystems.filter((ecosystem) => ecosystem.claims(root)).map(({ name }) => name)
  if (claimed.length === 0) {
    return new PlanError('nothing_detected', `${place} has no manifest that says how to run its tests. ${hint}`)
  }
  return new PlanError(
    'no_tests',
    `${place} is a ${claimed.join(' and ')} program without tests that Assay can find. ${hint}`,
  )
}
