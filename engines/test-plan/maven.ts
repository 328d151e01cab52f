import { parsePom } from '../manifests/maven.ts'
import { quoted } from './command-line.ts'
import type { Ecosystem, TestPlan } from './ecosystem.ts'
import { installStep, step } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { readManifest } from './folder.ts'
import type { PlanType } from './plan.ts'
import { notToldApart } from './test-folders.ts'

const jacocoReport = 'org.jacoco:jacoco-maven-plugin:report'
const repository = '-Dmaven.repo.local={deps}/m2'

/**
 * Surefire resolves what runs the tests only when it has found a class of them, which `dependency:go-offline` does not
 * see: so it is asked for a method that no class has.
 */
const noTest = ['-Dtest=*#noSuchTestAtAll', '-DfailIfNoTests=false', '-Dsurefire.failIfNoSpecifiedTests=false']

export const maven: Ecosystem = {
  name: 'maven',
  claims: (folder) => folder.has('pom.xml'),
  async install(folder) {
    const used = await plugins(folder)
    const phase = used.includes('maven-failsafe-plugin') ? 'verify' : 'test'
    const report = used.includes('jacoco-maven-plugin') ? [jacocoReport] : []
    const argv = [
      program(folder),
      '-B',
      repository,
      ...noTest,
      '-DskipITs',
      '-Djacoco.haltOnFailure=false',
      phase,
      ...report,
    ]
    const deciding = folder.paths.filter((path) => /(?:^|\/)pom\.xml$|^\.mvn\//.test(path) && !path.startsWith('src/'))
    return {
      manager: 'maven',
      install: installStep(
        step(argv, {
          because: 'the repository has pom.xml, and a run that selects no test downloads the dependencies of the tests',
          command: quoted(argv.filter((word) => word !== repository)),
          environment: { MAVEN_USER_HOME: '{deps}/maven' },
        }),
        // Plugins, extensions and mvnw run during the install, and the code of the project is compiled.
        { lockfiles: deciding.map((path) => folder.inRepository(path)), readsTree: true, fillsDeps: true },
      ),
      prepare: [],
      notes: [],
    }
  },
  async tests(folder, type) {
    if (!folder.paths.some((path) => /(?:^|\/)src\/(?:\w*[tT]est|it)\//.test(path))) return []
    const because = `the repository has pom.xml${folder.has('mvnw') ? ' and mvnw' : ''}`
    return [await mavenTest(folder, await goals(folder, type), {}, because)]
  },
  async adopt(folder, { words, environment }) {
    const texts = words.map(({ text }) => text)
    if (!/^(?:mvn|(?:\.\/)?mvnw)$/.test(texts[0] ?? '')) return null
    return mavenTest(folder, texts.slice(1), environment, `the setting "testCommand" is \`${quoted(texts)}\``)
  },
}

async function goals(folder: Folder, type: PlanType): Promise<string[]> {
  const failsafe = (await plugins(folder)).includes('maven-failsafe-plugin')
  if (type === 'UNIT') return ['test']
  if (type !== 'ALL' && !failsafe) throw notToldApart(type)
  if (type !== 'ALL')
    return ['-Dsurefire.skip=true', '-Dtest=NoSuchTestAtAll', '-Dsurefire.failIfNoSpecifiedTests=false', 'verify']
  return [failsafe ? 'verify' : 'test']
}

async function mavenTest(
  folder: Folder,
  args: readonly string[],
  own: Readonly<Record<string, string>>,
  because: string,
): Promise<TestPlan> {
  const jacoco = (await plugins(folder)).includes('jacoco-maven-plugin')
  // Continues with other modules after a failure, and writes their reports.
  const ours = ['-B', '-o', repository, '-fae'].filter(
    (option) => !args.some((word) => word.split('=')[0] === option.split('=')[0]),
  )
  const report =
    jacoco && !args.some((word) => word.includes('jacoco'))
      ? ['-Dmaven.test.failure.ignore=true', ...args, jacocoReport]
      : args
  return {
    framework: 'maven',
    test: step([program(folder), ...ours, ...report], {
      because,
      environment: { MAVEN_USER_HOME: '{deps}/maven', ...own },
    }),
    targetCount: 0,
    reports: ['**/target/surefire-reports/TEST-*.xml', '**/target/failsafe-reports/TEST-*.xml'],
    coverage: jacoco ? ['**/target/site/**/jacoco.xml'] : [],
    // A failed build has the same exit code; the reports distinguish them.
    failureExitCodes: [1],
    notes: jacoco ? [] : ['No coverage, because pom.xml does not use jacoco-maven-plugin.'],
  }
}

function program(folder: Folder): string {
  return folder.has('mvnw') ? './mvnw' : 'mvn'
}

async function plugins(folder: Folder): Promise<string[]> {
  const facts = await readManifest(folder, 'pom.xml', parsePom)
  return (facts?.dependencies ?? []).map(({ name }) => name.slice(name.indexOf(':') + 1))
}
