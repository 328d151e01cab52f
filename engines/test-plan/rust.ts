import { parseCargoToml } from '../manifests/cargo.ts'
import { quoted } from './command-line.ts'
import type { Ecosystem, TestPlan } from './ecosystem.ts'
import { installStep, shellStep, step } from './ecosystem.ts'
import type { Folder } from './folder.ts'
import { readManifest } from './folder.ts'
import { foldersOfType } from './test-folders.ts'

const environment = { CARGO_HOME: '{deps}/cargo', CARGO_TARGET_DIR: '{deps}/target', CARGO_TERM_COLOR: 'never' }

export const rust: Ecosystem = {
  name: 'rust',
  claims: (folder) => folder.has('Cargo.toml'),
  async install(folder) {
    const lockfile = folder.nearest('Cargo.lock')
    const fetch = lockfile ? 'cargo fetch --locked' : 'cargo fetch'
    // Compiling dependencies takes most of a cold run. The test step reports compiler errors.
    const compile = `cargo test --no-run ${(await isWorkspace(folder)) ? '--workspace ' : ''}>/dev/null 2>&1 || true`
    const manifests = folder.paths.filter((path) =>
      /(?:^|\/)(?:Cargo\.toml|rust-toolchain(?:\.toml)?|\.cargo\/config(?:\.toml)?)$/.test(path),
    )
    return {
      manager: 'cargo',
      install: installStep(
        shellStep(`${fetch} && { ${compile}; }`, {
          because: lockfile ? `${lockfile} pins the crates` : 'Cargo.toml names the crates',
          command: fetch,
          environment,
        }),
        {
          lockfiles: [...(lockfile ? [lockfile] : []), ...manifests.map((path) => folder.inRepository(path))],
          // Build scripts and procedural macros run when cargo compiles.
          readsTree: true,
          fillsDeps: true,
        },
      ),
      prepare: [],
      notes: lockfile ? [] : ['Without Cargo.lock, runs may get different versions. Commit Cargo.lock.'],
    }
  },
  async tests(folder, type) {
    foldersOfType(folder, type)
    if (!folder.paths.some((path) => path.endsWith('.rs'))) return []
    const options = (await isWorkspace(folder)) ? ['--workspace'] : []
    if (folder.has('.config/nextest.toml')) return [nextest(options, [], {}, 'the repository has .config/nextest.toml')]
    return [cargoTest(options, [], {}, 'the repository has Cargo.toml')]
  },
  async adopt(_, { words, environment: own }) {
    const [first, second, third, ...rest] = words.map(({ text }) => text)
    const because = `the setting "testCommand" is \`${quoted(words.map(({ text }) => text))}\``
    if (first !== 'cargo') return null
    if (second === 'nextest' && third === 'run') return nextest(rest, [], own, because)
    if (second !== 'test' && second !== 't') return null
    const args = third === undefined ? [] : [third, ...rest]
    const end = args.indexOf('--')
    const options = end === -1 ? args : args.slice(0, end)
    return cargoTest(options, end === -1 ? [] : args.slice(end), own, because)
  },
}

function cargoTest(
  options: readonly string[],
  targets: readonly string[],
  own: Readonly<Record<string, string>>,
  because: string,
): TestPlan {
  const ours = ['--offline', '--no-fail-fast'].filter((option) => !options.includes(option))
  return {
    framework: 'cargo test',
    test: step(['cargo', 'test', ...ours, ...options, ...targets], {
      because,
      environment: { ...environment, ...own },
      stdoutReport: 'cargo.txt',
    }),
    targetCount: targets.length,
    reports: ['{output}/cargo.txt'],
    coverage: [],
    failureExitCodes: [101],
    notes: ['No coverage, because cargo test does not measure it.'],
  }
}

function nextest(
  options: readonly string[],
  targets: readonly string[],
  own: Readonly<Record<string, string>>,
  because: string,
): TestPlan {
  const ours = ['--offline', '--no-fail-fast'].filter((option) => !options.includes(option))
  return {
    framework: 'nextest',
    test: step(
      ['cargo', 'nextest', 'run', '--tool-config-file', 'assay:{tools}/nextest.toml', ...ours, ...options, ...targets],
      {
        because,
        environment: { ...environment, ...own },
      },
    ),
    targetCount: targets.length,
    reports: ['target/nextest/**/*.xml', '{deps}/target/nextest/**/*.xml'],
    coverage: [],
    failureExitCodes: [100],
    notes: ['No coverage, because nextest does not measure it. nextest does not run tests in documentation.'],
  }
}

async function isWorkspace(folder: Folder): Promise<boolean> {
  const facts = await readManifest(folder, 'Cargo.toml', parseCargoToml)
  return (facts?.workspaces?.length ?? 0) > 0
}
