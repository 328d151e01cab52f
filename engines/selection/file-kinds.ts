import { posix } from 'node:path'
import { isDocumentation } from '../languages/path-rules.ts'
import { testRole } from '../test-names/roles.ts'

interface Rule {
  what: string
  path: RegExp
}

/** Files that decide on every test. */
const rules: readonly Rule[] = [
  {
    what: 'a lockfile',
    path: /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|pylock\.toml|go\.sum|go\.work\.sum|deno\.lock)$/,
  },
  {
    what: 'a manifest',
    path: /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml|lerna\.json|nx\.json|turbo\.json|rush\.json|deno\.jsonc?|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment\.ya?ml|go\.(?:mod|work)|MANIFEST\.in|vendor\/modules\.txt)$|(?:^|\/)(?:[\w.-]*requirements|constraints)[\w.-]*\.(?:txt|in)$|(?:^|\/)requirements\/[^/]+\.(?:txt|in)$/,
  },
  {
    what: 'a configuration of compilers or runners',
    path: /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|\.babelrc[\w.]*|\.swcrc|\.npmrc|\.yarnrc[\w.]*|\.pnpmfile\.cjs|\.nvmrc|\.node-version|\.python-version|\.tool-versions|mise\.toml|\.?pytest\.(?:ini|toml)|tox\.ini|\.coveragerc|\.mocharc[\w.]*|mocha\.opts|jasmine\.json|\.taprc|\.c8rc[\w.]*|\.nycrc[\w.]*|noxfile\.py|sitecustomize\.py|usercustomize\.py)$|(?:^|\/)(?:vite|vitest|jest|babel|ava|karma|playwright|cypress|wdio|jasmine|webpack|rollup|rolldown|esbuild|tsup|tsdown|metro|next|nuxt|svelte|astro|postcss|tailwind)\.(?:[\w-]+\.)?(?:config|conf|workspace|setup)\.(?:[cm]?[jt]s|json)$/,
  },
  {
    what: 'a file of CI',
    path: /^\.github\/(?:workflows|actions)\/|^\.(?:circleci|buildkite|gitlab)\/|(?:^|\/)(?:\.gitlab-ci[\w.-]*\.ya?ml|\.travis\.ya?ml|\.?appveyor\.ya?ml|azure-pipelines[\w.-]*\.ya?ml|Jenkinsfile|\.drone\.ya?ml|bitbucket-pipelines\.ya?ml|\.cirrus\.ya?ml)$/,
  },
  {
    what: 'a migration or schema',
    path: /(?:^|\/)(?:migrations?|alembic)\/|\.sql$|\.prisma$|\.proto$|\.graphqls?$/,
  },
  {
    what: 'a file of the environment',
    path: /(?:^|\/)(?:[\w.-]*Dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*\.ya?ml|\.env[\w.-]*|\.envrc|GNUmakefile|[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Procfile|Vagrantfile|flake\.(?:nix|lock)|shell\.nix)$|\.mk$/,
  },
]

/** Why the change of a file runs every test: "is a lockfile". Fixtures of tests decide on their readers only. */
export function decidesOnAll(path: string): string | undefined {
  const rule = rules.find((one) => one.path.test(path))
  if (!rule || (isFixture(path) && !rule.what.startsWith('a configuration'))) return undefined
  return `is ${rule.what}`
}

const isFixture = (path: string) =>
  /(?:^|\/)(?:__)?(?:fixtures?|testdata|test-data)(?:__)?\//.test(path) && testRole(path) !== undefined

/** Files that programs do not read, unless they name them. */
const withoutEffect =
  /(?:^|\/)(?:\.gitignore|\.gitattributes|\.gitkeep|\.keep|\.editorconfig|\.mailmap|\.git-blame-ignore-revs|\.prettier(?:rc|ignore)[\w.]*|prettier\.config\.\w+|\.eslint(?:rc|ignore)[\w.]*|eslint\.config\.\w+|\.oxlintrc\.json|\.oxfmtrc\.json|biome\.jsonc?|\.stylelintrc[\w.]*|\.commitlintrc[\w.]*|commitlint\.config\.\w+|\.lintstagedrc[\w.]*|\.golangci[\w.-]*|\.flake8|\.pylintrc|\.ruff\.toml|ruff\.toml|mypy\.ini|\.isort\.cfg|\.pre-commit-config\.ya?ml|\.readthedocs\.ya?ml|mkdocs\.ya?ml|typedoc\.json|renovate\.json5?|\.renovaterc[\w.]*|\.?codecov\.ya?ml|\.coveralls\.ya?ml|CODEOWNERS|LICEN[CS]E[\w.-]*|COPYING|AUTHORS|NOTICE|\.all-contributorsrc|\.npmignore|\.dockerignore|\.size-limit\.\w+|\.release-it\.\w+|\.goreleaser\.ya?ml|cliff\.toml|_config\.ya?ml|CNAME|\.nojekyll|\.cspell\.json|cspell[\w.]*)$|^\.(?:github|vscode|idea|husky|changeset|devcontainer|claude|cursor)\//
const prose = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i

/** Whether no test notices a change of the file, as far as no program names it. */
export function isWithoutEffect(path: string): boolean {
  if (withoutEffect.test(path)) return true
  if (testRole(path) !== undefined) return false
  return isDocumentation(path) || (prose.test(path) && !/(?:^|\/)(?:src|lib|app|templates?)\//.test(path))
}

/** The test files that a snapshot may belong to; undefined if the path is no snapshot. */
export function ownersOfSnapshot(path: string): string[] | undefined {
  const match = /^(.*?)__snapshots__\/(.+)$/.exec(path)
  if (!match) return path.endsWith('.snap') ? [path.slice(0, -'.snap'.length)] : undefined
  const [, folder = '', rest = ''] = match
  const first = rest.split('/')[0] ?? ''
  const name = first.replace(/\.(?:snap|ambr|raw|storyshot)$/, '')
  return [posix.join(folder, name), posix.join(folder, `${name}.py`)]
}
