import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ReadOptions, ReportError, type ReportReader, reportLimits } from '../report.ts'
import { readJestJson } from './jest.ts'
import { readJson } from './json-stream.ts'
import { each, either, flag, list, number, record, type Shape, text } from './shape.ts'
import { all, readWith } from './testing.ts'

const shop = record({
  name: text(100),
  open: flag,
  shelves: list(record({ label: text(100), height: number }), 10),
  tags: either(text(100), list(text(100), 10)),
})

test('keeps the fields of the shape, and nothing else', async () => {
  const content = { name: 'Books', unknown: { deep: [1, { a: 'b' }] }, open: true, shelves: [{ label: 'A', width: 1 }] }
  expect(await valueOf(shop, JSON.stringify({ ...content, tags: ['x'] }))).toEqual({
    name: 'Books',
    open: true,
    shelves: [{ label: 'A' }],
    tags: ['x'],
  })
  expect(await valueOf(shop, '{"tags":"one","name":null}')).toEqual({ tags: 'one' })
})

test('reads all of JSON in pieces of any size', async () => {
  const anything = record({ value: list(either(text(1_000), either(number, flag)), 1_000) })
  const values = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
  )
  await fc.assert(
    fc.asyncProperty(values, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 2), async (value, size, indent) => {
      const found = await valueOf(anything, JSON.stringify({ value }, null, indent), size)
      // Texts lose control characters, so that only those without any are alike.
      const expected = value.map((one) => (typeof one === 'string' ? JSON.stringify(one).length : Number(one)))
      expect((found as { value: unknown[] }).value).toHaveLength(expected.length)
      value.forEach((one, index) => {
        if (typeof one === 'string' && !/^[ -~\u00a1-\ud7ff]*$/.test(one)) return
        expect((found as { value: unknown[] }).value[index]).toEqual(Object.is(one, -0) ? 0 : one)
      })
    }),
  )
})

test.each([
  ['{"name": 1}', 'name: expected text, got number', 1],
  ['{\n"shelves": [{}, {"height": "tall"}]}', 'shelves[1].height: expected number, got text', 2],
  ['{"shelves": {}}', 'shelves: expected list, got object', 1],
  ['{"shelves": [[]]}', 'shelves[0]: expected object, got list', 1],
  ['{"open": "yes"}', 'open: expected true or false, got text', 1],
  ['{"tags": 5}', 'tags: expected text or list, got number', 1],
  ['[]', 'the whole: expected object, got list', 1],
  ['{"name": "a",\n\n "name": "b"}', 'name: the field occurs twice', 3],
  [`{"shelves": [{"height": ${'9'.repeat(500)}}]}`, 'shelves[0].height: the number has more than 100 digits', 1],
])('says what is wrong in %s', async (content, problem, line) => {
  await expect(valueOf(shop, content)).rejects.toThrow(new ReportError('malformed', 'shop.json', problem, line))
})

test.each(['{"name": "a"', '{"name": "a', '{', '{"name"', '{"open": tr', '{"shelves": [{}'])(
  'does not take %s for the whole',
  async (content) => {
    await expect(valueOf(shop, content)).rejects.toMatchObject({ code: 'malformed', line: 1 })
  },
)

test.each(['{"name" "a"}', '{"a": 1,}', '{"a": 01}', "{'a': 1}", '{} {}', '{"a": nul}', 'nonsense', '{"a": "\t"}'])(
  'refuses %s, and says in which line',
  async (content) => {
    await expect(valueOf(shop, `\n\n${content}\n\n`)).rejects.toMatchObject({ code: 'malformed', line: 3 })
  },
)

test('reads names that are special in JavaScript', async () => {
  const content = '{"__proto__": {"open": true}, "constructor": 1, "name": "safe", "shelves": [{"__proto__": []}]}'
  const value = await valueOf(shop, content)
  expect(value).toEqual({ name: 'safe', shelves: [{}] })
  expect(({} as { open?: boolean }).open).toBeUndefined()
})

test('refuses values that are nested a million deep', async () => {
  for (const start of ['{"x":', '{"shelves":']) {
    const deep = start + '['.repeat(1_000_000)
    await expect(valueOf(shop, deep, 65_536)).rejects.toMatchObject({ code: 'malformed' })
  }
})

test('reads a text of 200 MB in little memory, and keeps both ends', async () => {
  const middle = Buffer.from('x'.repeat(1024 * 1024))
  async function* bytes() {
    yield Buffer.from('{"name":"start of it ')
    for (let count = 0; count < 200; count += 1) yield middle
    yield Buffer.from(' end of it","unknown":"')
    for (let count = 0; count < 20; count += 1) yield middle
    yield Buffer.from('"}')
  }
  let value: unknown
  const reader: ReportReader = (source, options) =>
    readJson(
      source,
      options,
      () => shop,
      (whole) => (value = whole),
    )
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10)
  await all(reader({ name: 'large', bytes: bytes() }, quiet()))
  clearInterval(watch)
  expect(peak - before).toBeLessThan(100 * 2 ** 20)
  const { name } = value as { name: string }
  expect(name.length).toBeLessThanOrEqual(100)
  expect(name).toMatch(/^start of it x+/)
  expect(name).toMatch(/x+ end of it$/)
})

test('hands on the items of a list as they come, and says where each was', async () => {
  const seen: string[] = []
  const shape = record({ all: each(record({ name: text(10) }), ({ name }, path) => seen.push(`${path} ${name}`)) })
  expect(await valueOf(shape, '{"all": [{"name": "a"}, {"name": "b"}]}')).toEqual({ all: 2 })
  expect(seen).toEqual(['all[0] a', 'all[1] b'])
})

test('stops at the first test above the limit of tests', async () => {
  async function* endless() {
    yield Buffer.from('{"testResults": [')
    for (;;)
      yield Buffer.from(
        '{"name": "/a.js", "status": "passed", "assertionResults": [{"title": "t", "status": "passed"}]},',
      )
  }
  const options = { ...quiet(), limits: { ...reportLimits, maxCases: 1_000 } }
  const read = all(readJestJson({ name: 'endless', bytes: endless() }, options))
  await expect(read).rejects.toMatchObject({
    code: 'too_many_tests',
    message: 'endless: the report has more than 1000 tests',
  })
  const crowded = {
    testResults: [
      { name: 'a', assertionResults: Array.from({ length: 1_001 }, () => ({ title: 't', status: 'passed' })) },
    ],
  }
  const limits = { maxCases: 1_000 }
  await expect(readWith(readJestJson, JSON.stringify(crowded), { limits })).rejects.toMatchObject({
    code: 'too_many_tests',
  })
})

const quiet = (): ReadOptions => ({ roots: [], limits: reportLimits, warn: () => {} })

async function valueOf<T>(shape: Shape<T>, content: string, size = content.length): Promise<unknown> {
  const bytes = Buffer.from(content)
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  let value: unknown
  const source = { name: 'shop.json', bytes: pieces() }
  await all(
    readJson(
      source,
      quiet(),
      () => shape,
      (whole) => (value = whole),
    ),
  )
  return value
}
