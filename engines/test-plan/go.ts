import type { Word } from './command-line.ts'
import { quoted } from './command-line.ts'
import type { Ecosystem, InstallPlan, TestPlan } from './ecosystem.ts'
import { installStep, shellStep, step } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import {
  isProgramWithoutModule,
  isWithoutModule,
  modulePathOf,
  outsideFlags,
  writeModule,
} from './go-without-module.ts'
import { foldersOfType } from './test-folders.ts'

const environment = { GOMODCACHE: '{deps}/gomod', GOCACHE: '{deps}/gocache' }

const valued = [
  '-run',
  '-timeout',
  '-tags',
  '-count',
  '-parallel',
  '-p',
  '-skip',
  '-bench',
  '-cpu',
  '-ldflags',
  '-exec',
  '-shuffle',
]
const profileOptions = /^--?(?:json|coverprofile|o|c|cpuprofile|memprofile)(?:=|$)/

export const go: Ecosystem = {
  name: 'go',
  claims: (folder) => folder.has('go.mod') || folder.has('go.work') || isProgramWithoutModule(folder),
  async install(folder) {
    if (isWithoutModule(folder)) return installWithoutModule(folder)
    const vendored = folder.has('vendor/modules.txt')
    // `-exec true` compiles the tests and their dependencies and starts none. The test step reports compiler errors.
    const compile = `go test -exec true ${everything(await modules(folder)).join(' ')} >/dev/null 2>&1 || true`
    const line = vendored ? compile : `go mod download && { ${compile}; }`
    const because = vendored
      ? 'vendor/modules.txt contains the dependencies, which only need compiling'
      : `${folder.has('go.work') ? 'go.work' : 'go.mod'} names the modules`
    const files = folder.paths.filter((path) =>
      /^(?:(?:[^/]+\/){0,3})(?:go\.(?:mod|sum|work|work\.sum))$|^vendor\/modules\.txt$/.test(path),
    )
    return {
      manager: 'go',
      install: installStep(
        shellStep(line, {
          because,
          command: vendored ? 'go test -exec true ./...' : 'go mod download',
          environment: { ...environment, GOFLAGS: '-modcacherw' },
        }),
        // Go runs no code of a module when it downloads and compiles, and looks compiled packages up by their content.
        { lockfiles: files.map((path) => folder.inRepository(path)), readsTree: false, fillsDeps: true },
      ),
      prepare: [],
      notes: [],
    }
  },
  async tests(folder, type) {
    if (!folder.paths.some((path) => path.endsWith('_test.go') && !path.startsWith('vendor/'))) return []
    const folders = foldersOfType(folder, type).map((path) => `./${path}/...`)
    const manifest = ['go.mod', 'go.work'].find((path) => folder.has(path))
    const because = `the repository has ${manifest === undefined ? '' : `${manifest} and `}files that end in _test.go`
    return [await goTest(folder, [], folders.length > 0 ? folders : everything(await modules(folder)), {}, because)]
  },
  collected: () => Promise.resolve(['**/*_test.go', '!vendor/**']),
  async adopt(folder, { words, environment: own }) {
    const [first, second, ...rest] = words
    if (first?.text !== 'go' || second?.text !== 'test') return null
    const { options, targets } = argumentsOf(rest)
    const because = `the setting "testCommand" is \`${quoted(words.map(({ text }) => text))}\``
    return goTest(folder, options, targets.length > 0 ? targets : everything(await modules(folder)), own, because)
  },
}

/** A `go.mod` outside of the repository names the packages, whose files stay as they are. */
async function installWithoutModule(folder: Folder): Promise<InstallPlan> {
  const path = await modulePathOf(folder)
  const line = `${writeModule(folder, path)} && { go mod tidy || true; } && { go test -exec true ./... >/dev/null 2>&1 || true; }`
  return {
    manager: 'go',
    install: installStep(
      shellStep(line, {
        because: 'the imports of the packages name the modules',
        command: 'go mod tidy',
        environment: { ...environment, GOFLAGS: outsideFlags },
      }),
      // The imports in all files decide.
      {
        lockfiles: folder.paths
          .filter((file) => file.endsWith('.go'))
          .slice(0, 1)
          .map((file) => folder.inRepository(file)),
        readsTree: true,
        fillsDeps: true,
      },
    ),
    prepare: [],
    notes: [
      `The repository has no go.mod. Assay makes one for ${path} outside of it, and Go chooses the versions: commit a go.mod.`,
    ],
  }
}

async function goTest(
  folder: Folder,
  options: readonly string[],
  targets: readonly string[],
  own: Readonly<Record<string, string>>,
  because: string,
): Promise<TestPlan> {
  const isOutside = isWithoutModule(folder)
  const before = isOutside ? ['sh', '-c', `${writeModule(folder, await modulePathOf(folder))} && exec "$@"`, 'sh'] : []
  const goStep = (...coverage: string[]) => {
    const argv = ['go', 'test', '-json', ...coverage, ...options, ...targets]
    return step([...before, ...argv], {
      because,
      command: quoted(argv),
      environment: { ...environment, GOFLAGS: isOutside ? outsideFlags : '-modcacherw', GOPROXY: 'off', ...own },
      stdoutReport: 'go.json',
    })
  }
  return {
    framework: 'go test',
    test: goStep('-coverprofile={output}/cover.out'),
    unmeasured: goStep(),
    shuffle: ['-shuffle={seed}'],
    targetCount: targets.length,
    reports: ['{output}/go.json'],
    coverage: ['{output}/cover.out'],
    failureExitCodes: [1],
    notes: [],
  }
}

/** Folders of the modules that go.work joins; in a workspace `./...` means the current folder's module alone. */
async function modules(folder: Folder): Promise<string[]> {
  const source = (await folder.read('go.work')) ?? ''
  const block = /^use\s*\(([^)]*)/m.exec(source)?.[1] ?? ''
  const single = [...source.matchAll(/^use\s+([^\s(]+)/gm)].map(([, path = '']) => path)
  const found = [...single, ...block.split('\n').map((line) => line.replace(/\/\/.*$/s, '').trim())]
  return found
    .map((path) => path.replace(/^\.\/|^\.$|\/$|"/g, ''))
    .filter((path) => path === '' || folder.has(`${path}/go.mod`))
}

function everything(modules: readonly string[]): string[] {
  const named = [...new Set(modules.filter((path) => path !== ''))].slice(0, 50).map((path) => `./${path}/...`)
  return modules.includes('') && named.length > 0 ? ['./...', ...named] : named.length > 0 ? named : ['./...']
}

function argumentsOf(words: readonly Word[]): { options: string[]; targets: string[] } {
  const options: string[] = []
  const targets: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]?.text ?? ''
    const takesNext =
      valued.includes(word.replace(/^--/, '-')) || /^--?(?:coverprofile|cpuprofile|memprofile|o)$/.test(word)
    const value = takesNext ? words[++at]?.text : undefined
    if (!word.startsWith('-')) targets.push(word)
    else if (!profileOptions.test(word)) options.push(word, ...(value === undefined ? [] : [value]))
  }
  return { options, targets }
}
