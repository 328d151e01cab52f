import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { partOf } from './testing/tree.ts'

const phpFiles = {
  'Parser.php': '',
  'Node/Text.php': '',
  '.php-cs-fixer.php': '',
  'examples/a.php': '',
  'src/A.php': '',
  'lib/b.php': '',
  'tests/ATest.php': '',
  'Tests/BTest.php': '',
  'vendor/x/y.php': '',
}

test.for([
  [{ 'psr-4': { 'A\\': 'src/' }, files: ['lib/b.php'] }, undefined, ['src', 'lib/b.php']],
  [
    { 'psr-4': { 'A\\': ['./src', 'gone/'] }, classmap: ['lib/', 'tests/', '../x', 'vendor/x'] },
    '<phpunit/>',
    ['src', 'lib'],
  ],
  [{ 'psr-0': { Parser: '' } }, '<phpunit><source/><groups><include/></groups></phpunit>', ['Parser.php', 'Node']],
  [{ classmap: ['.'] }, '<phpunit><!-- <source><include/></source> --></phpunit>', ['Parser.php', 'Node']],
  [{ 'psr-4': { 'A\\': '$(id)' } }, '<phpunit/>', []],
  [{ 'psr-4': { 'A\\': 'src' } }, '<phpunit><source><include><file>x</file></include></source></phpunit>', []],
  [{ 'psr-4': { 'A\\': 'src' } }, '<phpunit><coverage><include><file>x</file></include></coverage></phpunit>', []],
  [{ 'psr-4': { 'A\\': 'src' } }, '<phpunit><filter><whitelist><file>x</file></whitelist></filter></phpunit>', []],
  [{ 'psr-4': { 'A\\': 'src' } }, 'no XML', []],
  ['src', '<phpunit/>', []],
] as const)(
  'lets PHPUnit measure what composer.json loads, if nothing says what: %j, %s',
  async ([autoload, xml, filters]) => {
    const files = {
      ...phpFiles,
      'composer.json': { 'require-dev': { 'phpunit/phpunit': '^9' }, autoload },
      ...(xml !== undefined && { 'phpunit.xml.dist': xml }),
    }
    const filtersOf = async (testCommand: string | null) => {
      const { test, unmeasured } = await partOf(files, { testCommand })
      expect(unmeasured?.argv[2]).not.toContain('--coverage')
      return [...(test.argv[2]?.matchAll(/ --coverage-filter=([\w./-]+)/g) ?? [])].map(([, path]) => path)
    }
    expect(await filtersOf(null)).toEqual(filters)
    expect(await filtersOf('vendor/bin/phpunit --testdox')).toEqual(filters)
    expect(await filtersOf('vendor/bin/phpunit -c other.xml')).toEqual([])
    expect(await filtersOf('phpunit --coverage-filter=src')).toEqual([])
  },
)

const made: string[] = []
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })))

/** Runs PHPUnit as the plan says, in a project of which it loads two files. */
async function runPlan(programs: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'assay-php-'))
  made.push(root)
  const files = {
    'composer.json': '{"autoload":{"psr-4":{"Acme\\\\":"src/"},"files":["once.php"]}}',
    'phpunit.xml':
      '<phpunit><testsuites><testsuite name="a"><directory>tests</directory></testsuite></testsuites></phpunit>',
    'src/Sum.php': '<?php\nfunction sum($a, $b) {\n  return $a + $b;\n}\n',
    'src/Never.php': '<?php\nfunction never() {\n  return 1;\n}\n',
    'once.php': '<?php\nfunction once() {\n  return 1;\n}\n',
    'tests/SumTest.php':
      '<?php\nrequire __DIR__ . "/../src/Sum.php";\nclass SumTest extends PHPUnit\\Framework\\TestCase {\n  function testAdds() { $this->assertSame(2, sum(1, 1)); }\n}\n',
  }
  for (const [path, content] of Object.entries({ ...files, ...programs })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content, { mode: 0o755 })
  }
  const [program = '', ...args] = (await partOf(files)).test.argv.map((word) => word.replaceAll('{output}', root))
  const ended = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${root}/bin:${process.env.PATH ?? ''}` },
  })
  return { ...ended, root }
}

const isHere =
  spawnSync('sh', ['-c', 'php -m | grep -qixE "xdebug|pcov" && phpunit --help | grep -q -e --coverage-filter'])
    .status === 0

test.runIf(isHere)('measures also what no test loads', async () => {
  const { root, status, stdout } = await runPlan()
  expect(status, stdout).toBe(0)
  const lines = readFileSync(join(root, 'clover.xml'), 'utf8').matchAll(
    /<file name="([^"]+)"|<line num="(\d+)" type="stmt" count="(\d+)"/g,
  )
  const counts = [...lines].map(([, file, line, count]) => file?.slice(root.length + 1) ?? `${line}: ${count}`)
  expect(counts).toEqual(['once.php', '3: 0', 'src/Never.php', '3: 0', 'src/Sum.php', '3: 1'])
})

test.for([
  ['--coverage-filter <dir>', '--coverage-filter=src --coverage-filter=once.php --coverage-clover='],
  ['--whitelist <dir>', '--coverage-clover='],
])('filters only if PHPUnit can: %s', async ([help, options]) => {
  const { stdout, root } = await runPlan({
    'bin/php': '#!/bin/sh\necho pcov\n',
    'bin/phpunit': `#!/bin/sh\nif [ "$1" = --help ]; then echo "  ${help}"; else echo "$@"; fi\n`,
  })
  expect(stdout).toBe(`${options}${root}/clover.xml --log-junit=${root}/junit.xml\n`)
})
