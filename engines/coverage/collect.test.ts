import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addText, briefly, collect } from './testing.ts'

const lcov = fc
  .array(
    fc.record({
      file: fc.constantFrom('a.ts', 'b.ts', 'c.ts'),
      lines: fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 0, max: 12 })), { maxLength: 20 }),
      branches: fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(2), fc.constantFrom('0', '1', '-'))),
      functions: fc.array(fc.tuple(fc.constantFrom('f', 'g', 'h'), fc.nat(1))),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((records) =>
    records
      .map(({ file, lines, branches, functions }) =>
        [
          `SF:${file}`,
          ...lines.map(([line, count]) => `DA:${line},${count}`),
          ...branches.map(([line, branch, taken]) => `BRDA:${line},0,${branch},${taken}`),
          ...functions.map(([name, count]) => `FNDA:${count},${name}`),
          'end_of_record\n',
        ].join('\n'),
      )
      .join(''),
  )

test('adds up to the same coverage in any order, also if a report is added twice', async () => {
  const all = async (texts: string[]) => {
    const coverage = collect()
    for (const text of texts) await addText(coverage, text)
    return [briefly(coverage), coverage.percent()]
  }
  await fc.assert(
    fc.asyncProperty(fc.array(lcov, { minLength: 1, maxLength: 4 }), async (texts) => {
      const expected = await all(texts)
      expect(await all(texts.toReversed())).toEqual(expected)
      expect(await all([...texts, ...texts])).toEqual(expected)
      expect(await all([texts.join('')])).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('reads the same from chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(lcov, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (text, sizes) => {
      const whole = collect()
      await addText(whole, text)
      const parts = collect()
      let turn = 0
      await addText(parts, text, 'report', () => sizes[turn++ % sizes.length] ?? 1)
      expect(briefly(parts)).toEqual(briefly(whole))
    }),
    { numRuns: 60 },
  )
})

test('keeps earlier coverage when a later report has an error', async () => {
  const coverage = collect()
  await addText(coverage, 'SF:a.ts\nDA:1,1\nDA:2,0\nBRDA:1,0,0,0\n')
  const before = briefly(coverage)
  await expect(addText(coverage, 'SF:a.ts\nDA:2,1\nBRDA:1,0,0,1\nSF:b.ts\nDA:1,1\nDA:x,1\n')).rejects.toThrow('line 6')
  expect(briefly(coverage)).toEqual(before)
  expect(coverage.percent()).toBe(50)
})

test('rounds to two decimals, and has no percentage without a line', async () => {
  const coverage = collect()
  expect(coverage.percent()).toBeNull()
  await addText(coverage, 'SF:a.ts\nDA:1,1\nDA:2,1\nDA:3,0\n')
  expect(coverage.percent()).toBe(66.67)
})

test('sorts files by path', async () => {
  const coverage = collect()
  await addText(coverage, 'SF:b.ts\nDA:1,1\nSF:a/z.ts\nDA:1,1\nSF:B.ts\nDA:1,1\n')
  expect(Object.keys(briefly(coverage))).toEqual(['B.ts', 'a/z.ts', 'b.ts'])
})

test('ignores files outside of the repository, and warns with their number', async () => {
  const coverage = collect({ roots: ['/repo'], paths: ['src/a.ts', 'x/b/c.ts', 'y/b/c.ts'] })
  const files = [
    '/repo/src/a.ts',
    '/repo/node_modules/x/index.js',
    '/usr/include/stdio.h',
    'b/c.ts',
    '/usr/include/stdio.h',
  ]
  await addText(coverage, files.map((file) => `SF:${file}\nDA:1,1\nend_of_record\n`).join(''), 'lcov.info')
  expect(Object.keys(briefly(coverage))).toEqual(['b/c.ts', 'src/a.ts'])
  expect(coverage.warnings).toEqual([
    'lcov.info: files outside of the repository do not count: 2, such as /repo/node_modules/x/index.js',
    'lcov.info: names that fit several files of the repository cannot be mapped: 1, such as b/c.ts',
  ])
})

const istanbul = (...files: string[]) =>
  JSON.stringify(
    Object.fromEntries(
      files.map((path) => [path, { path, statementMap: { 0: { start: { line: 1 }, end: {} } }, s: { 0: 1 } }]),
    ),
  )

test('maps absolute paths of an unknown folder to files of the repository', async () => {
  const coverage = collect({ roots: ['/workspace'], paths: ['src/a.ts', 'packages/web/src/a.ts', 'index.ts'] })
  const files = ['src/a.ts', 'packages/web/src/a.ts', 'index.ts'].map((path) => `/home/me/shop/${path}`)
  await addText(coverage, istanbul(...files), 'coverage-final.json')
  expect(Object.keys(briefly(coverage))).toEqual(['index.ts', 'packages/web/src/a.ts', 'src/a.ts'])
  expect(coverage.warnings).toEqual([])
  expect(coverage.unmatched()).toEqual([])
})

test('names the folder and the remedy where no file of a report is in the repository', async () => {
  const options = { roots: ['/workspace'], rootHint: 'Set the field `root` to the folder of the checkout.' }
  const coverage = collect(options)
  const files = ['/home/me/shop/src/a.ts', '/home/me/shop/src/cart/b.ts']
  await addText(coverage, istanbul(...files), 'coverage-final.json')
  expect(coverage.warnings).toEqual([
    'coverage-final.json: files outside of the repository do not count: 2, such as /home/me/shop/src/a.ts. All are in /home/me/shop/src. Set the field `root` to the folder of the checkout.',
  ])
  expect(coverage.unmatched()).toEqual(files)

  const partly = collect(options)
  await addText(partly, istanbul('/workspace/a.ts', '/opt/shop/b.ts', '/workspace/node_modules/c.js'), 'c.json')
  expect(partly.warnings).toEqual(['c.json: files outside of the repository do not count: 2, such as /opt/shop/b.ts'])
  expect(partly.unmatched()).toEqual([])
})

test('warns of an empty report', async () => {
  const coverage = collect()
  expect(await addText(coverage, 'mode: set\n', 'cover.out')).toBe('go-cover')
  expect(coverage.warnings).toEqual(['cover.out: the report is empty, because the tests loaded no source file'])
})

test('stops at its limits', async () => {
  const small = collect({ maxBytes: 100, maxFiles: 2 })
  await expect(addText(small, `TN:\n${'#'.repeat(200)}`, 'a.info', () => 10)).rejects.toMatchObject({
    code: 'too_large',
  })
  await expect(addText(small, 'SF:a\nSF:b\nSF:c\n')).rejects.toMatchObject({ code: 'too_large' })
  await addText(small, 'SF:a\nDA:1,1\nSF:b\n')
  await expect(addText(small, 'SF:c\nDA:1,1\n')).rejects.toMatchObject({ code: 'too_large' })
  expect(Object.keys(briefly(small))).toEqual(['a', 'b'])
})

test('refuses forged reports before they take much memory or time', async () => {
  const long = collect()
  await expect(addText(long, `SF:a.c\nFN:1,${'x'.repeat(2 ** 21)}\n`)).rejects.toMatchObject({ code: 'too_large' })

  // Every line far from all others, in many files.
  const sparse = Array.from({ length: 40 }, (_, file) =>
    [`SF:${file}.c`, ...Array.from({ length: 1900 }, (_, page) => `DA:${page * 1024 + 1},1`)].join('\n'),
  ).join('\n')
  await expect(addText(collect(), `${sparse}\n`)).rejects.toMatchObject({ code: 'too_large' })

  const blocks = Array.from({ length: 100 }, (_, column) => `a.go:1.${column},2000000.1 1 1`).join('\n')
  await expect(addText(collect(), `mode: set\n${blocks}\n`)).rejects.toMatchObject({ code: 'too_large' })
})

test('reads names of files that are special in JavaScript', async () => {
  const coverage = collect()
  const text =
    '{"__proto__": {"path": "__proto__", "statementMap": {}, "s": {}}, "constructor": {"path": "constructor", "statementMap": {}, "s": {}}}'
  await addText(coverage, text)
  await addText(coverage, 'SF:toString\nDA:1,1\nFNDA:1,__proto__\nFNDA:1,constructor\n')
  expect(Object.keys(briefly(coverage)).toSorted()).toEqual(['__proto__', 'constructor', 'toString'])
})

test('removes control characters from messages', async () => {
  const coverage = collect({ paths: [] })
  await addText(coverage, 'SF:a\0\x1b[31m.c\nDA:1,1\n', 'a.info')
  expect(coverage.warnings).toEqual(['a.info: files outside of the repository do not count: 1, such as a.c'])
  await expect(addText(coverage, 'SF:a.c\nB\0AD\n', 'a.info')).rejects.toThrow(
    'a.info, line 2: "BAD" is not a line of LCOV',
  )
})

test('counts the reached branches of a line, by the format that has most branches', async () => {
  const collector = collect()
  await addText(
    collector,
    'SF:a.js\nDA:1,1\nBRDA:7,0,0,2\nBRDA:7,0,1,0\nBRDA:3,1,0,1\nBRDA:3,1,1,4\nBRDA:9,2,0,-\nend_of_record\n',
  )
  await addText(collector, 'SF:a.js\nDA:1,1\nBRDA:7,0,1,1\nend_of_record\n')
  expect(collector.reachedBranches('a.js')).toEqual([
    [3, 2],
    [7, 2],
  ])
  expect(collector.reachedBranches('b.js')).toEqual([])
})
