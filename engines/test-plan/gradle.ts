import { quoted } from './command-line.ts'
import type { Ecosystem, TestPlan } from './ecosystem.ts'
import { installStep, step } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import type { PlanType } from './plan.ts'
import { notToldApart } from './test-folders.ts'

const environment = { GRADLE_USER_HOME: '{deps}/gradle' }
const buildFile =
  /(?:^|\/)(?:build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradle\.properties|gradle-wrapper\.properties|libs\.versions\.toml|gradle\.lockfile)$/
const common = ['--no-daemon', '--console=plain', '--init-script={tools}/gradle-reports.gradle']

export const gradle: Ecosystem = {
  name: 'gradle',
  claims: (folder) =>
    ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].some((path) => folder.has(path)),
  async install(folder) {
    const argv = [program(folder), ...common, 'testClasses', 'assayResolve']
    const deciding = folder.paths.filter((path) => buildFile.test(path) || path.startsWith('buildSrc/'))
    return {
      manager: 'gradle',
      install: installStep(
        step(argv, {
          because: `the repository has ${folder.has('gradlew') ? 'gradlew' : 'a Gradle build'}, and compiling the tests downloads their dependencies`,
          command: quoted([program(folder), 'testClasses']),
          environment,
        }),
        // A build script is a program, and the code of the project is compiled.
        { lockfiles: deciding.map((path) => folder.inRepository(path)), readsTree: true, fillsDeps: true },
      ),
      prepare: [],
      notes: [],
    }
  },
  async tests(folder, type) {
    if (!folder.paths.some((path) => /(?:^|\/)src\/(?:\w*[tT]est|it)\//.test(path))) return []
    const tasks = await tasksOf(folder, type)
    return [
      await gradleTest(folder, tasks, {}, `the repository has ${folder.has('gradlew') ? 'gradlew' : 'a Gradle build'}`),
    ]
  },
  async adopt(folder, { words, environment: own }) {
    const texts = words.map(({ text }) => text)
    if (!/^(?:gradle|(?:\.\/)?gradlew)$/.test(texts[0] ?? '')) return null
    return gradleTest(folder, texts.slice(1), own, `the setting "testCommand" is \`${quoted(texts)}\``)
  },
}

async function tasksOf(folder: Folder, type: PlanType): Promise<string[]> {
  if (type === 'ALL' || type === 'UNIT') return ['test']
  const names = { INTEGRATION: ['integrationTest', 'intTest'], E2E: ['e2eTest', 'endToEndTest', 'functionalTest'] }[
    type
  ]
  const source = await buildSource(folder)
  const task = names.find((name) => source.includes(name))
  if (!task) throw notToldApart(type)
  return [task]
}

async function gradleTest(
  folder: Folder,
  tasks: readonly string[],
  own: Readonly<Record<string, string>>,
  because: string,
): Promise<TestPlan> {
  const jacoco = /\bjacoco\b/.test(await buildSource(folder))
  const report = jacoco && !tasks.some((task) => task.includes('jacoco')) ? ['jacocoTestReport'] : []
  // The report comes before `test`, because selected tests follow the name of their task.
  const argv = [program(folder), ...common, '--offline', '--continue', ...report, ...tasks]
  return {
    framework: 'gradle',
    test: step(argv, { because, environment: { ...environment, ...own } }),
    targetCount: 0,
    reports: ['**/build/test-results/**/TEST-*.xml'],
    coverage: jacoco ? ['**/build/reports/jacoco/**/*.xml'] : [],
    failureExitCodes: [1],
    notes: jacoco ? [] : ['No coverage, because the build does not use the plugin jacoco.'],
  }
}

function program(folder: Folder): string {
  return folder.has('gradlew') ? './gradlew' : 'gradle'
}

async function buildSource(folder: Folder): Promise<string> {
  const sources: string[] = []
  for (const path of folder.paths.filter((path) => /(?:^|\/)build\.gradle(?:\.kts)?$/.test(path)).slice(0, 50)) {
    sources.push((await folder.read(path)) ?? '')
  }
  return sources.join('\n')
}
