import { parseComposerJson } from '../manifests/composer.ts'
import { entries, type Table, table, text } from '../manifests/values.ts'
import { quoted } from './command-line.ts'
import type { Ecosystem, TestPlan } from './ecosystem.ts'
import { installStep, nothingToInstall, step } from './ecosystem.ts'
import { coverageFilters } from './php-coverage.ts'
import type { Folder } from './folder.ts'
import { readJson, readManifest } from './folder.ts'
import type { PlanType } from './plan.ts'
import { notToldApart } from './test-folders.ts'

const configurations = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml']

const unmeasured = 'exec "$@" --log-junit={output}/junit.xml'
/** PHPUnit fails on coverage that nothing can measure, in some versions, and before version 9.3 on a filter. */
function measured(filters: readonly string[]): string {
  const options = filters.map((path) => ` --coverage-filter=${path}`).join('')
  const filter = `if "$1" --help 2>&1 </dev/null | grep -q -e --coverage-filter; then set -- "$@"${options}; fi; `
  return `if php -m | grep -qixE "xdebug|pcov"; then export XDEBUG_MODE=coverage; ${options === '' ? '' : filter}set -- "$@" --coverage-clover={output}/clover.xml; fi; exec "$@" --log-junit={output}/junit.xml`
}

export const php: Ecosystem = {
  name: 'php',
  claims: (folder) => folder.has('composer.json') || configurations.some((path) => folder.has(path)),
  async install(folder) {
    const json = await readJson(folder, 'composer.json')
    if (json === null) return nothingToInstall
    const vendor = text(table(json.config)['vendor-dir']) ?? 'vendor'
    const locked = folder.has('composer.lock')
    const scripts = ['post-install-cmd', 'post-autoload-dump'].filter((name) =>
      Object.hasOwn(table(json.scripts), name),
    )
    const argv = ['composer', 'install', '--no-interaction', '--prefer-dist', '--no-progress']
    const environment = { COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_HOME: '{deps}/composer' }
    return {
      manager: 'composer',
      install: installStep(
        step(argv, {
          because: locked ? 'composer.lock pins the packages' : 'composer.json names the packages',
          environment,
        }),
        {
          lockfiles: (locked ? ['composer.lock', 'composer.json'] : ['composer.json']).map((path) =>
            folder.inRepository(path),
          ),
          readsTree: await runsCode(folder, json),
          folders: [vendor.slice(vendor.lastIndexOf('/') + 1)],
        },
      ),
      // The map of classes is part of the installed folder, but made from the project's own files.
      prepare: [
        step(['composer', 'dump-autoload', '--no-interaction', ...(scripts.length > 0 ? [] : ['--no-scripts'])], {
          because: 'the autoloader also lists the classes of the project',
          environment,
        }),
      ],
      notes: locked ? [] : ['Without composer.lock, runs may get different versions. Commit composer.lock.'],
    }
  },
  async tests(folder, type) {
    const facts = await readManifest(folder, 'composer.json', parseComposerJson)
    const names = new Set(facts?.dependencies?.map(({ name }) => name))
    const configuration = configurationOf(folder)
    const hasTests = folder.paths.some((path) => /^(?!vendor\/).*Test\.php$/.test(path))
    const filters = await coverageFilters(folder, configuration)
    if (names.has('pestphp/pest')) {
      const because = 'composer.json names pestphp/pest'
      return [phpunit('vendor/bin/pest', { options: await suiteOf(folder, type), filters, because })]
    }
    if (!configuration && !(hasTests && (names.has('phpunit/phpunit') || names.size === 0))) return []
    const declared = names.has('phpunit/phpunit')
    const bridge = names.has('symfony/phpunit-bridge') && !declared
    const program = declared ? `${await binFolder(folder)}/phpunit` : bridge ? 'vendor/bin/simple-phpunit' : 'phpunit'
    const targets = configuration
      ? []
      : ['tests', 'test'].filter((path) => folder.paths.some((file) => file.startsWith(`${path}/`))).slice(0, 1)
    const because = declared
      ? 'composer.json names phpunit/phpunit'
      : `the repository has ${configuration ?? 'a test of PHPUnit'}`
    return [phpunit(program, { options: await suiteOf(folder, type), targets, filters, because })]
  },
  async adopt(folder, { words, environment }) {
    const texts = words.map(({ text }) => text)
    const [first = '', ...rest] = texts[0] === 'php' ? texts.slice(1) : texts
    if (!/(?:^|\/)(?:phpunit|pest|simple-phpunit)$/.test(first)) return null
    const options = rest.filter((word) => !/^--(?:log-junit|coverage-(?!filter)\w+)(?:=|$)/.test(word))
    const filters = options.some((word) => ownFilter.test(word))
      ? []
      : await coverageFilters(folder, configurationOf(folder))
    return phpunit(first, {
      options,
      environment,
      filters,
      because: `the setting "testCommand" is \`${quoted(texts)}\``,
    })
  },
}

/** Options with which a command says itself what it measures, or where that is written. */
const ownFilter = /^(?:-c|--(?:configuration|no-configuration|coverage-filter|whitelist)(?:=|$))/

const configurationOf = (folder: Folder) => configurations.find((path) => folder.has(path))

/** Scripts and plugins run code during the install. A package that is not from a server can be any file of the repository. */
async function runsCode(folder: Folder, json: Table): Promise<boolean> {
  if (entries(json.scripts).length > 0 || json.repositories !== undefined) return true
  const lock = await readJson(folder, 'composer.lock')
  if (lock === null) return true
  const packages = ['packages', 'packages-dev'].flatMap((name) =>
    Array.isArray(lock[name]) ? lock[name].map(table) : [],
  )
  return packages.some(
    ({ type, dist, source }) =>
      type === 'composer-plugin' || ![dist, source].every((place) => isOnServer(table(place))),
  )
}

const isOnServer = ({ type, url, mirrors }: Table): boolean =>
  mirrors === undefined && type !== 'path' && (url === undefined || (text(url) ?? '').startsWith('https://'))

interface Command {
  options: readonly string[]
  targets?: readonly string[]
  environment?: Readonly<Record<string, string>>
  /** What to measure, if the configuration does not say it. */
  filters: readonly string[]
  because: string
}

function phpunit(program: string, { options, targets = [], environment = {}, filters, because }: Command): TestPlan {
  const args = [program, ...options, ...targets]
  const command = quoted([...args, '--log-junit={output}/junit.xml'])
  return {
    framework: 'phpunit',
    test: step(['sh', '-c', measured(filters), 'sh', ...args], { because, command, environment }),
    unmeasured: step(['sh', '-c', unmeasured, 'sh', ...args], { because, command, environment }),
    shuffle: ['--order-by=random', '--random-order-seed={seed}'],
    targetCount: targets.length,
    reports: ['{output}/junit.xml'],
    coverage: ['{output}/clover.xml'],
    // 2 is an error in a test or of PHPUnit itself; the report distinguishes them.
    failureExitCodes: [1, 2],
    notes: ['Coverage requires the PHP extension xdebug or pcov.'],
  }
}

async function suiteOf(folder: Folder, type: PlanType): Promise<string[]> {
  if (type === 'ALL') return []
  const wanted = {
    UNIT: /^unit/i,
    INTEGRATION: /^(?:integration|functional|feature)/i,
    E2E: /^(?:e2e|acceptance|end)/i,
  }[type]
  for (const path of configurations) {
    const source = (await folder.read(path)) ?? ''
    const names = [...source.matchAll(/<testsuite\s+name="([^"]{1,100})"/g)].map(([, name = '']) => name)
    const found = names.find((name) => wanted.test(name))
    if (found) return [`--testsuite=${found}`]
  }
  throw notToldApart(type)
}

async function binFolder(folder: Folder): Promise<string> {
  const config = table((await readJson(folder, 'composer.json'))?.config)
  return text(config['bin-dir']) ?? `${text(config['vendor-dir']) ?? 'vendor'}/bin`
}
