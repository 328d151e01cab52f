import { posix } from 'node:path'
import { isDocumentation } from '../languages/path-rules.ts'
import { testRole } from '../test-names/roles.ts'

interface Rule {
  what: string
  /** Whole names of files, separated by spaces. */
  names: string
  /** Beginnings of names, each with the endings that the name has then; a lone beginning takes every ending. */
  beginnings?: readonly (readonly [beginning: string, ...endings: string[]])[]
  endings?: readonly string[]
  folder?: RegExp
}

const yaml = ['.yml', '.yaml']
/** Tools that build or run code, and are configured in files such as `vite.config.ts`. */
const tools = new Set(
  'vite vitest jest babel ava karma playwright cypress wdio jasmine webpack rollup rolldown esbuild tsup tsdown metro next nuxt svelte astro postcss tailwind'.split(
    ' ',
  ),
)
const configuration = /\.(?:config|conf|workspace|setup)\.(?:[cm]?[jt]s|json)$/

/** Files that decide on every test. */
const rules: readonly Rule[] = [
  {
    what: 'a lockfile',
    names:
      'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb poetry.lock uv.lock pdm.lock Pipfile.lock pylock.toml go.sum go.work.sum deno.lock',
  },
  {
    what: 'a manifest',
    names:
      'package.json pnpm-workspace.yaml lerna.json nx.json turbo.json rush.json deno.json deno.jsonc pyproject.toml setup.py setup.cfg Pipfile environment.yml environment.yaml go.mod go.work MANIFEST.in modules.txt',
    beginnings: [
      ['requirements', '.txt', '.in'],
      ['dev-requirements', '.txt', '.in'],
      ['test-requirements', '.txt', '.in'],
      ['constraints', '.txt', '.in'],
    ],
    endings: ['requirements.txt', 'requirements.in'],
    folder: /(?:^|\/)requirements\//,
  },
  {
    what: 'a configuration of compilers or runners',
    names:
      '.swcrc .npmrc .pnpmfile.cjs .nvmrc .node-version .python-version .tool-versions mise.toml pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini .coveragerc mocha.opts jasmine.json .taprc noxfile.py sitecustomize.py usercustomize.py',
    beginnings: [
      ['tsconfig', '.json'],
      ['jsconfig', '.json'],
      ['.babelrc'],
      ['.yarnrc'],
      ['.mocharc'],
      ['.c8rc'],
      ['.nycrc'],
    ],
  },
  {
    what: 'a file of CI',
    names:
      '.travis.yml .travis.yaml appveyor.yml .appveyor.yml Jenkinsfile .drone.yml bitbucket-pipelines.yml .cirrus.yml',
    beginnings: [
      ['.gitlab-ci', ...yaml],
      ['azure-pipelines', ...yaml],
    ],
    folder: /^\.(?:github\/(?:workflows|actions)|circleci|buildkite|gitlab)\//,
  },
  {
    what: 'a migration or schema',
    names: '',
    endings: ['.sql', '.prisma', '.proto', '.graphql', '.graphqls'],
    folder: /(?:^|\/)(?:migrations?|alembic)\//,
  },
  {
    what: 'a file of the environment',
    names:
      '.envrc GNUmakefile Makefile makefile Justfile justfile Taskfile.yml Taskfile.yaml Procfile Vagrantfile flake.nix flake.lock shell.nix',
    beginnings: [['Dockerfile'], ['docker-compose', ...yaml], ['compose', ...yaml], ['.env']],
    endings: ['.mk', 'Dockerfile', '.dockerfile'],
  },
]
const named = new Map(rules.flatMap((rule) => rule.names.split(' ').map((name) => [name, rule] as const)))

function ruleFor(path: string): string | undefined {
  const name = posix.basename(path)
  const exact = name === '' ? undefined : named.get(name)
  if (exact) return exact.what
  if (tools.has(name.split('.', 1)[0] ?? '') && configuration.test(name))
    return 'a configuration of compilers or runners'
  const matches = ({ beginnings = [], endings = [], folder }: Rule) =>
    folder?.test(path) === true ||
    endings.some((ending) => name.endsWith(ending)) ||
    beginnings.some(
      ([beginning, ...ends]) =>
        name.startsWith(beginning) && (ends.length === 0 || ends.some((ending) => name.endsWith(ending))),
    )
  return rules.find(matches)?.what
}

/** Why the change of a file runs every test: "is a lockfile". Fixtures of tests decide on their readers only. */
export function decidesOnAll(path: string): string | undefined {
  const what = ruleFor(path)
  if (what === undefined || (isFixture(path) && !what.startsWith('a configuration'))) return undefined
  return `is ${what}`
}

const fixtureFolder = /(?:^|\/)(?:fixtures?|__fixtures?__|testdata|test-data)\//
const isFixture = (path: string) => fixtureFolder.test(path) && testRole(path) !== undefined

/** Files that programs do not read, unless they name them. The last ones are reports that lie about after a run. */
const quietNames = new Set(
  '.gitignore .gitattributes .gitkeep .keep .editorconfig .mailmap .git-blame-ignore-revs .prettierignore .eslintignore .oxlintrc.json .oxfmtrc.json biome.json biome.jsonc .flake8 .pylintrc .ruff.toml ruff.toml mypy.ini .isort.cfg .pre-commit-config.yaml .pre-commit-config.yml .readthedocs.yml .readthedocs.yaml mkdocs.yml mkdocs.yaml typedoc.json renovate.json renovate.json5 codecov.yml .codecov.yml codecov.yaml .coveralls.yml CODEOWNERS COPYING AUTHORS NOTICE .all-contributorsrc .npmignore .dockerignore .goreleaser.yml .goreleaser.yaml cliff.toml _config.yml CNAME .nojekyll .coverage clover.xml cobertura.xml coverage-final.json coverage.out coverage.xml junit.xml lcov.info'.split(
    ' ',
  ),
)
const quietBeginnings =
  '.prettierrc prettier.config. .eslintrc eslint.config. .stylelintrc stylelint.config. .commitlintrc commitlint.config. .lintstagedrc lint-staged.config. .golangci .renovaterc .size-limit. .release-it. .cspell cspell LICENSE LICENCE'.split(
    ' ',
  )
const quietFolder = /^\.(?:github|vscode|idea|husky|changeset|devcontainer|claude|cursor)\//
const prose = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i

/** Whether no test notices a change of the file, as far as no program names it. */
export function isWithoutEffect(path: string): boolean {
  const name = posix.basename(path)
  if (quietNames.has(name) || quietBeginnings.some((beginning) => name.startsWith(beginning))) return true
  if (quietFolder.test(path)) return true
  if (testRole(path) !== undefined) return false
  return isDocumentation(path) || (prose.test(path) && !/(?:^|\/)(?:src|lib|app|templates?)\//.test(path))
}

/** The test files that a snapshot may belong to; undefined if the path is no snapshot. */
export function ownersOfSnapshot(path: string): string[] | undefined {
  const folder = '__snapshots__/'
  const at = path.indexOf(folder)
  if (at === -1) return path.endsWith('.snap') ? [path.slice(0, -'.snap'.length)] : undefined
  const around = path.slice(0, at)
  const [first = ''] = path.slice(at + folder.length).split('/', 1)
  const name = first.replace(/\.(?:snap|ambr|raw|storyshot)$/, '')
  return [posix.join(around, name), posix.join(around, `${name}.py`)]
}
