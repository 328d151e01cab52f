import { parseProject } from '../manifests/nuget.ts'
import { quoted } from './command-line.ts'
import type { Ecosystem, TestPlan } from './ecosystem.ts'
import { installStep, step } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { readManifest } from './folder.ts'
import type { PlanType } from './plan.ts'
import { notToldApart } from './test-folders.ts'

const environment = {
  NUGET_PACKAGES: '{deps}/nuget',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  DOTNET_NOLOGO: '1',
  DOTNET_SKIP_FIRST_TIME_EXPERIENCE: '1',
}
const project = /\.(?:cs|fs|vb)proj$/
const solution = /^[^/]+\.slnx?$/
const deciding =
  /\.(?:cs|fs|vb)proj$|\.slnx?$|(?:^|\/)(?:packages\.lock\.json|Directory\.(?:Packages|Build)\.(?:props|targets)|nuget\.config|global\.json)$/i

export const csharp: Ecosystem = {
  name: 'csharp',
  claims: (folder) => folder.paths.some((path) => solution.test(path) || /^[^/]+\.(?:cs|fs|vb)proj$/.test(path)),
  async install(folder) {
    const locked = folder.paths.some((path) => /(?:^|\/)packages\.lock\.json$/.test(path))
    const argv = ['dotnet', 'restore', ...target(folder), ...(locked ? ['--locked-mode'] : [])]
    return {
      manager: 'nuget',
      install: installStep(
        step(argv, { because: `the repository has ${target(folder)[0] ?? 'a project file'}`, environment }),
        {
          lockfiles: folder.paths.filter((path) => deciding.test(path)).map((path) => folder.inRepository(path)),
          // MSBuild evaluates the project files and everything that they import.
          readsTree: true,
          folders: ['obj'],
          fillsDeps: true,
        },
      ),
      prepare: [],
      notes: [],
    }
  },
  async tests(folder, type) {
    const projects = await testProjects(folder)
    if (projects.length === 0) return []
    const chosen = ofType(projects, type)
    return [dotnetTest(chosen ? [chosen] : target(folder), projects, {}, `${projects[0]?.path} is a test project`)]
  },
  async adopt(folder, { words, environment: own }) {
    const [first, second, ...rest] = words.map(({ text }) => text)
    if (first !== 'dotnet' || second !== 'test') return null
    const because = `the setting "testCommand" is \`${quoted(words.map(({ text }) => text))}\``
    return dotnetTest(rest, await testProjects(folder), own, because)
  },
}

interface TestProject {
  path: string
  collector: boolean
}

async function testProjects(folder: Folder): Promise<TestProject[]> {
  const found: TestProject[] = []
  for (const path of folder.paths.filter((path) => project.test(path)).slice(0, 200)) {
    const facts = await readManifest(folder, path, (source) => parseProject(source, path))
    const names = facts?.dependencies?.map(({ name }) => name) ?? []
    if (names.includes('Microsoft.NET.Test.Sdk')) found.push({ path, collector: names.includes('coverlet.collector') })
  }
  return found
}

function ofType(projects: readonly TestProject[], type: PlanType): string | null {
  if (type === 'ALL') return null
  const wanted = { UNIT: /unit/i, INTEGRATION: /integration|functional/i, E2E: /e2e|endtoend|acceptance/i }[type]
  const found = projects.find(({ path }) => wanted.test(path.slice(path.lastIndexOf('/') + 1)))
  if (!found) throw notToldApart(type)
  return found.path
}

function dotnetTest(
  args: readonly string[],
  projects: readonly TestProject[],
  own: Readonly<Record<string, string>>,
  because: string,
): TestPlan {
  const collector = projects.some((found) => found.collector)
  const collect = collector ? ['--collect', 'XPlat Code Coverage'] : []
  const argv = [
    'dotnet',
    'test',
    ...args,
    '--no-restore',
    '--logger',
    'trx',
    '--results-directory={output}',
    ...collect,
  ]
  return {
    framework: 'dotnet test',
    test: step(argv, { because, environment: { ...environment, ...own } }),
    targetCount: 0,
    reports: ['{output}/**/*.trx'],
    coverage: collector ? ['{output}/**/coverage.cobertura.xml'] : [],
    failureExitCodes: [1],
    notes: collector ? [] : ['No coverage, because coverlet.collector is not a dependency.'],
  }
}

/** A folder with several project files requires the name of one. */
function target(folder: Folder): string[] {
  const name = folder.paths.filter((path) => solution.test(path)).toSorted()[0]
  return name ? [name] : []
}
