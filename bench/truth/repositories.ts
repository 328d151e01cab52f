import type { UpdateProjectSettings } from '../../core/projects/schema.ts'

/** A public repository of which a person knows how it is tested. */
export interface TruthRepository {
  /** `owner/name` at the code host. Checkouts are found as `owner+name`. */
  name: string
  commit: string
  language: string
  /** What its own test command starts. */
  framework: string
  /** The paths at which its test command finds a test. */
  tests: RegExp
  /** Not looked at while the ranking was tuned. */
  isAside: boolean
  /** For a machine that reaches no other registry than npm's. */
  settings?: UpdateProjectSettings['settings']
}

const gemsOfSystem =
  'mkdir -p $BUNDLE_PATH/ruby/3.1.0 && cp -r /usr/share/rubygems-integration/all/* $BUNDLE_PATH/ruby/3.1.0/ && cp /usr/lib/ruby/gems/3.1.0/specifications/power_assert-*.gemspec $BUNDLE_PATH/ruby/3.1.0/specifications/ && cp -r /usr/lib/ruby/gems/3.1.0/gems/power_assert-* $BUNDLE_PATH/ruby/3.1.0/gems/'

const phpunitOfSystem = `mkdir -p vendor/composer && printf '{"packages":[],"dev":true,"dev-package-names":[]}' > vendor/composer/installed.json && mkdir -p vendor/bin && printf '#!/bin/sh\\nexec phpunit --bootstrap vendor/autoload.php "$@"\\n' > vendor/bin/phpunit && chmod +x vendor/bin/phpunit`

export const repositories: readonly TruthRepository[] = [
  {
    name: 'sindresorhus/p-queue',
    commit: '180ab9e25cd10b6f548767d7176076b50d25e188',
    language: 'TypeScript',
    framework: 'node:test',
    tests: /^test\/[^/]+\.ts$/,
    isAside: false,
  },
  {
    name: 'tj/commander.js',
    commit: 'ba6d13ddb4243e5913367734f8c159089ffe7834',
    language: 'JavaScript',
    framework: 'node:test',
    tests: /^tests?\/.+\.[cm]?js$|\.test\.[cm]?js$/,
    isAside: false,
  },
  {
    name: 'minimistjs/minimist',
    commit: '30b56212c17fdad7575c652a6aef5e61afa026e4',
    language: 'JavaScript',
    framework: 'tape',
    tests: /^test\/.+\.js$/,
    isAside: false,
  },
  {
    name: 'ljharb/qs',
    commit: '3a890d4ecd3deb72a45d90be36f4f8c5970467c7',
    language: 'JavaScript',
    framework: 'tape',
    tests: /^test\/.+\.js$/,
    isAside: false,
  },
  {
    name: 'un33k/python-slugify',
    commit: '7b6d5d96c1995e6dccb39a19a13ba78d7d0a3ee4',
    language: 'Python',
    framework: 'pytest',
    tests: /^test\.py$/,
    isAside: false,
    settings: { installCommand: 'true' },
  },
  {
    name: 'pallets/click',
    commit: '2c8cd3ac958a7eb316d67f2d316c27086c4c0369',
    language: 'Python',
    framework: 'pytest',
    tests: /^tests\/(?:.+\/)?test_[^/]+\.py$/,
    isAside: false,
    settings: {
      // Its tests ask for the version of the installed package.
      installCommand:
        'mkdir -p src/click-8.0.dist-info && printf "Metadata-Version: 2.1\\nName: click\\nVersion: 8.0\\n" > src/click-8.0.dist-info/METADATA',
      environment: { PYTHONPATH: 'src' },
    },
  },
  {
    name: 'pallets/itsdangerous',
    commit: '672971d66a2ef9f85151e53283113f33d642dabd',
    language: 'Python',
    framework: 'pytest',
    tests: /^tests\/(?:.+\/)?test_[^/]+\.py$/,
    isAside: false,
    settings: { installCommand: 'true', environment: { PYTHONPATH: 'src' } },
  },
  {
    name: 'spf13/pflag',
    commit: '5fdac2d16c16d60605cb8baa887e8c5c38ef623f',
    language: 'Go',
    framework: 'go test',
    tests: /_test\.go$/,
    isAside: false,
  },
  {
    name: 'ruby/rake',
    commit: '474500ab2eec41ef28068e18e30f84fa412a098f',
    language: 'Ruby',
    framework: 'test-unit',
    tests: /^test\/(?:.+\/)?test_[^/]+\.rb$/,
    isAside: false,
    settings: {
      installCommand: `printf 'source "https://rubygems.org"\\ngem "test-unit"\\n' > Gemfile && ${gemsOfSystem}`,
    },
  },
  {
    name: 'erusev/parsedown',
    commit: '4e433a8d57078645b55d21fd12c887d3ba6ca01e',
    language: 'PHP',
    framework: 'phpunit',
    tests: /^test\/.+Test[^/]*\.php$/,
    isAside: false,
    settings: { installCommand: phpunitOfSystem },
  },
  {
    name: 'honojs/hono',
    commit: '28a9c128912de19f3fb28b00ae289c9b93f6f392',
    language: 'TypeScript',
    framework: 'vitest',
    tests: /\.test\.tsx?$/,
    isAside: true,
  },
  {
    name: 'unjs/ufo',
    commit: '11308c0bb5cb4a4bc3bfcbdc5c03177b097423e6',
    language: 'TypeScript',
    framework: 'vitest',
    tests: /\.(?:test|spec)\.ts$/,
    isAside: true,
  },
  {
    name: 'unjs/consola',
    commit: 'c47faac1738b7383971c6c20b5a34ffa15e7cc3b',
    language: 'TypeScript',
    framework: 'vitest',
    tests: /\.(?:test|spec)\.ts$/,
    isAside: true,
  },
  {
    name: 'unjs/defu',
    commit: '80c0146afb11ebd86183a579ec469f3abd976695',
    language: 'TypeScript',
    framework: 'vitest',
    tests: /\.(?:test|spec)\.ts$/,
    isAside: true,
  },
  {
    name: 'jshttp/cookie',
    commit: '51c485421a95ee796de6d8dab53a5ade0a20db8a',
    language: 'TypeScript',
    framework: 'vitest',
    tests: /\.spec\.ts$/,
    isAside: true,
  },
  {
    name: 'mde/ejs',
    commit: '2c41365ca042a70978e5795adc05fbb8b35fb013',
    language: 'JavaScript',
    framework: 'mocha',
    tests: /^test\/[^/]+\.js$/,
    isAside: true,
  },
  {
    name: 'mahmoud/boltons',
    commit: '967864f89791509f9eb36b22b4579d36b72a6df2',
    language: 'Python',
    framework: 'pytest',
    tests: /^tests\/test_[^/]+\.py$/,
    isAside: true,
    settings: { installCommand: 'true' },
  },
  {
    name: 'tkem/cachetools',
    commit: '28d4506f2a49d781ffbcecb095fa7aba5bb80aff',
    language: 'Python',
    framework: 'pytest',
    tests: /^tests\/test_[^/]+\.py$/,
    isAside: true,
    settings: { installCommand: 'true', environment: { PYTHONPATH: 'src' } },
  },
  {
    name: 'more-itertools/more-itertools',
    commit: '2fe1b2eeb9d75f994113fe3ac76d14b6bcd6fb10',
    language: 'Python',
    framework: 'unittest',
    tests: /^tests\/test_[^/]+\.py$/,
    isAside: true,
    settings: { installCommand: 'true' },
  },
  {
    name: 'gorilla/mux',
    commit: 'db9d1d0073d27a0a2d9a8c1bc52aa0af4374d265',
    language: 'Go',
    framework: 'go test',
    tests: /_test\.go$/,
    isAside: true,
  },
  {
    name: 'google/uuid',
    commit: '2d3c2a9cc518326daf99a383f07c4d3c44317e4d',
    language: 'Go',
    framework: 'go test',
    tests: /_test\.go$/,
    isAside: true,
  },
  {
    name: 'julienschmidt/httprouter',
    commit: '484018016424d215c0b87c42f4c9b57d980fbd00',
    language: 'Go',
    framework: 'go test',
    tests: /_test\.go$/,
    isAside: true,
  },
  {
    name: 'rack/rack',
    commit: '8bf4eb078498edc9105fb04add80d89c5340e60b',
    language: 'Ruby',
    framework: 'minitest',
    tests: /^test\/(?:.+\/)?spec_[^/]+\.rb$/,
    isAside: true,
    settings: {
      installCommand: `printf 'source "https://rubygems.org"\\ngem "minitest"\\ngem "minitest-global_expectations"\\ngem "webrick"\\n' > Gemfile && ${gemsOfSystem}`,
    },
  },
  {
    name: 'nikic/FastRoute',
    commit: '1c961398bef1ff6ecd8b273bef651d7afe90312b',
    language: 'PHP',
    framework: 'phpunit',
    tests: /^test\/.+Test\.php$/,
    isAside: true,
    settings: { installCommand: phpunitOfSystem },
  },
]
