import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../source/testing/cpu-time.ts'
import { formats } from './formats.ts'
import { packageInfo } from './package-info.ts'
import { readManifests } from './read.ts'

const names = (
  'package.json deno.json deno.jsonc pnpm-workspace.yaml pyproject.toml setup.cfg setup.py Pipfile requirements.txt ' +
  'tox.ini go.mod go.work Cargo.toml pom.xml build.gradle settings.gradle.kts gradle/libs.versions.toml a.gemspec ' +
  'Gemfile Gemfile.lock composer.json a.csproj packages.config Directory.Packages.props mix.exs'
).split(' ')

test('the names below cover every format', () => {
  expect(formats.filter(({ name }) => !names.some((path) => name.test(path)))).toEqual([])
})

const deep = 100_000
const contents: [what: string, content: string | Buffer][] = [
  ['nothing', ''],
  ['a byte order mark', '\ufeff{}'],
  ['half of JSON', '{"name": "a", "dependencies": {'],
  ['half of XML', '<project><artifactId>a</artifactId><dependencies><dependency>'],
  ['half of TOML', '[project\nname = "'],
  ['null', 'null'],
  ['a list', '[1, 2, 3]'],
  ['a number', '42'],
  ['random bytes', Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7_919) % 256))],
  ['NUL characters', '\0'.repeat(5_000)],
  ['deep lists', '['.repeat(deep)],
  ['deep lists, closed', '['.repeat(deep) + ']'.repeat(deep)],
  ['deep objects', '{"a":'.repeat(deep)],
  ['deep TOML', `a = ${'['.repeat(deep)}`],
  ['a deep TOML key', `${'a.'.repeat(deep)}a = 1`],
  ['deep YAML', `catalog: ${'{a: '.repeat(deep)}`],
  ['deep XML', '<a>'.repeat(deep)],
  ['deep Ruby', 'group :a do\n'.repeat(deep)],
  ['many braces', '{'.repeat(500_000)],
  ['one long line', 'gem "a", '.repeat(60_000)],
  ['many quotes', `install_requires=[${"'".repeat(500_000)}`],
  ['many blank lines', '\n'.repeat(900_000)],
  ['many blanks', ' '.repeat(900_000)],
  ['many comments begun', '/* '.repeat(300_000)],
  ['many requirements', 'a[b'.repeat(300_000)],
  ['many directives', 'require (\n'.repeat(90_000)],
  ['XML attributes', `<a ${'b="c" '.repeat(100_000)}/>`],
  [
    'an entity bomb',
    `<!DOCTYPE a [<!ENTITY a0 "ha"> ${Array.from({ length: 40 }, (_, n) => `<!ENTITY a${n + 1} "&a${n};&a${n};">`).join('')}]>` +
      '<project><artifactId>&a40;</artifactId></project>',
  ],
  [
    'a YAML alias bomb',
    `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n')}`,
  ],
  ['5 MB of JSON', JSON.stringify({ name: 'a', x: 'y'.repeat(5_000_000) })],
]

test.each(contents)('survives %s in every format', async (_, content) => {
  const spent = await cpuMilliseconds(() => {
    const files = names.map((path) => ({ path, content: Buffer.from(content) }))
    const { manifests, notes } = readManifests(files, names)
    packageInfo(manifests, 'repository')
    expect(manifests.length + notes.length).toBeGreaterThan(0)
    for (const { message } of notes) expect(message).toMatch(/^(?:is|names) /)
  })
  expect(spent).toBeLessThan(3_000)
})

test('leaves out what is too large, and says so', () => {
  const content = Buffer.from(JSON.stringify({ name: 'a', x: 'y'.repeat(5_000_000) }))
  expect(readManifests([{ path: 'package.json', content }])).toEqual({
    manifests: [],
    notes: [{ path: 'package.json', message: 'is larger than 1048576 bytes' }],
  })
})

test('does not expand the entities of a document', () => {
  const content = Buffer.from(
    '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><project><artifactId>&x;</artifactId></project>',
  )
  expect(readManifests([{ path: 'pom.xml', content }]).manifests[0]?.name).toBe('&x;')
})

test.each([
  ['breaks off', '<project><artifactId>a</artifactId><version>'],
  ['has a stray closing tag', '<project><artifactId>a</artifactId></b></project>'],
  ['has nothing but undefined entities after the name', `<project><artifactId>a</artifactId>${'&x;'.repeat(300_000)}`],
  ['has too many elements', `<project><artifactId>a</artifactId>${'<b/>'.repeat(200_000)}</project>`],
])('reads an XML manifest that %s up to there', async (_what, source) => {
  const spent = await cpuMilliseconds(() => {
    const { manifests, notes } = readManifests([{ path: 'pom.xml', content: Buffer.from(source) }])
    expect([manifests.map(({ name }) => name), notes]).toEqual([['a'], []])
  })
  expect(spent).toBeLessThan(3_000)
})

test('says why a manifest is not XML', () => {
  expect(readManifests([{ path: 'pom.xml', content: Buffer.from('{}') }]).notes).toEqual([
    { path: 'pom.xml', message: 'is not XML: 1:2: text data outside of root node' },
  ])
})

const wrong = [null, true, 7, 'text', [], [null, 1, {}, []], {}, { a: null, b: 1, c: [], d: {} }]

test('takes values of any wrong type', () => {
  const keys = [
    'name',
    'version',
    'scripts',
    'packageManager',
    'workspaces',
    'dependencies',
    'devDependencies',
    'imports',
    'tasks',
    'require',
  ]
  for (const value of wrong) {
    const content = Buffer.from(JSON.stringify(Object.fromEntries(keys.map((key) => [key, value]))))
    const { manifests, notes } = readManifests(
      ['package.json', 'deno.json', 'composer.json'].map((path) => ({ path, content })),
    )
    expect(notes).toEqual([])
    for (const manifest of manifests) {
      expect(manifest.name === undefined || typeof manifest.name === 'string').toBe(true)
      expect(Object.values(manifest.scripts).every((command) => typeof command === 'string')).toBe(true)
      expect(manifest.dependencies.every(({ version }) => typeof version === 'string')).toBe(true)
    }
  }
  const toml =
    'project = 1\ntool = [1]\ndependencies = "x"\npackage = []\nworkspace = true\n"dependency-groups" = 3\npackages = 1\n'
  const files = ['pyproject.toml', 'Cargo.toml', 'Pipfile', 'gradle/libs.versions.toml'].map((path) => ({
    path,
    content: Buffer.from(toml),
  }))
  expect(readManifests(files).notes).toEqual([])
})

test('lets no key of a manifest reach a prototype', () => {
  const content = Buffer.from(
    '{"name":"a","scripts":{"__proto__":"x","constructor":"y","test":"z"},"dependencies":{"__proto__":"1","constructor":"2","koa":"3"},"__proto__":{"polluted":true}}',
  )
  const { manifests } = readManifests([{ path: 'package.json', content }])
  const info = packageInfo(manifests, 'repository')
  expect(Object.keys(info.scripts ?? {})).toEqual(['constructor', 'test'])
  expect(Object.keys(info.dependencies ?? {})).toEqual(['constructor', 'koa'])
  expect(Object.getPrototypeOf(info.dependencies)).toBe(Object.prototype)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  const toml = Buffer.from('[dependencies]\n"__proto__" = "1"\nserde = "1"\n[package]\nname = "a"\n')
  const [crate] = readManifests([{ path: 'Cargo.toml', content: toml }]).manifests
  expect(crate?.dependencies.map(({ name }) => name)).toEqual(['serde'])
})

test('keeps texts short, without control characters and well formed, as a database wants them', () => {
  const content = Buffer.from(JSON.stringify({ name: `a\u0000b\n${'x'.repeat(5_000)}`, scripts: { t: '\ud800' } }))
  const [manifest] = readManifests([{ path: 'package.json', content }]).manifests
  expect(manifest?.name).toMatch(/^a bx? ?x+$/)
  expect(manifest?.name?.length).toBeLessThanOrEqual(1_000)
  expect(manifest?.scripts.t?.isWellFormed()).toBe(true)
})
