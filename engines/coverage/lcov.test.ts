import { expect, test } from 'vitest'
import { addText, briefly, collect } from './testing.ts'

test('adds up several records of one file, the last of them without its end', async () => {
  const text = 'TN:first\nSF:a.c\nDA:1,0\nDA:2,5\nend_of_record\nTN:second\nSF:a.c\nDA:1,3\nDA:3,0'
  expect(await read(text)).toEqual({ 'a.c': '1-2 | 3 | - | -' })
})

test('reads Windows paths and line ends', async () => {
  const text = 'TN:\r\nSF:D:\\a\\shop\\src\\price.ts\r\nDA:1,1\r\nDA:2,0\r\nend_of_record\r\n'
  expect(await read(text, ['D:\\a\\shop'])).toEqual({ 'src/price.ts': '1 | 2 | - | -' })
})

test('reads counts however they are written', async () => {
  const counts = ['0', '00', '18446744073709551615', '1e+21', '0.0', '7,kCu+yMUV3jBhBJGcc3DUQg', '0,abc', '-5']
  const coverage = collect()
  await addText(coverage, `SF:a.c\n${counts.map((count, index) => `DA:${index + 1},${count}`).join('\n')}\n`, 'a.info')
  expect(briefly(coverage)).toEqual({ 'a.c': '3-4,6 | 1-2,5,7-8 | - | -' })
  expect(coverage.warnings).toEqual(['a.info: negative counts are read as 0'])
})

test('tells branches apart by line, block and number, those of exceptions too', async () => {
  const text =
    'SF:a.cpp\nBRDA:4,0,0,1\nBRDA:4,0,1,-\nBRDA:4,e0,1,2\nBRDA:4,0,(a, b) == c,0\nBRDA:4,0,0,0\nBRF:5\nBRH:2\n'
  expect(await read(text)).toEqual({ 'a.cpp': ' |  | 2/4 | -' })
})

test('reads functions of LCOV 1, with commas in their names, and nothing but functions', async () => {
  const text = 'SF:a.cpp\nFN:3,f(int, int)\nFN:9,20,g\nFNDA:2,f(int, int)\nFNDA:0,g\nFNF:2\nFNH:1\nend_of_record\n'
  expect(await read(text)).toEqual({ 'a.cpp': ' |  | - | 1/2' })
})

test('takes several names of one function of LCOV 2 for one function', async () => {
  const text = 'VER:2\nSF:a.cpp\nFNL:0,3,8\nFNA:0,0,f<int>\nFNA:0,4,f<long>\nFNL:1,10\nFNA:1,0,g\nend_of_record\n'
  expect(await read(text)).toEqual({ 'a.cpp': ' |  | - | 1/2' })
})

test('ignores comments and sums', async () => {
  const text = '# made by hand\nTN:\nSF:a.c\nVER:1\nMCDC:1,2,t,1,0,a\nDA:1,1\nLF:9\nLH:9\nend_of_record\n\n'
  expect(await read(text)).toEqual({ 'a.c': '1 |  | - | -' })
})

test('ignores line 0, and warns', async () => {
  const coverage = collect()
  await addText(coverage, 'SF:a.c\nDA:0,1\nDA:1,1\nBRDA:0,0,0,1\n', 'a.info')
  expect(briefly(coverage)).toEqual({ 'a.c': '1 |  | - | -' })
  expect(coverage.warnings).toEqual(['a.info: entries for line 0 do not count: 2'])
})

test.each([
  ['DA:2147483648,1', '2147483648 is not a line number (1 to 2000000)'],
  ['DA:1000000000000,1', '1000000000000 is not a line number (1 to 2000000)'],
  ['DA:2000001,1', '2000001 is not a line number (1 to 2000000)'],
  ['DA:-1,1', '-1 is not a line number (1 to 2000000)'],
  ['DA:NaN,1', '"NaN" is not a line number'],
  ['DA:1,NaN', '"NaN" is not a count'],
  ['DA:1,', '"" is not a count'],
  ['DA:1', '"" is not a count'],
  ['DA:,1', '"" is not a line number'],
  ['BRDA:1,0', '"1,0" is not a branch'],
  ['FNA:7,1,f', 'function 7 has no FNL line before it'],
  ['<html>', '"<html>" is not a line of LCOV'],
])('says where %j is wrong', async (line, problem) => {
  const coverage = collect()
  await expect(addText(coverage, `TN:\nSF:a.c\n${line}\n`, 'a.info')).rejects.toMatchObject({
    code: 'malformed',
    message: `a.info, line 3: ${problem}`,
  })
  expect([...coverage.files()]).toEqual([])
})

test('refuses lines before the first file', async () => {
  await expect(read('TN:\nDA:1,1\n')).rejects.toThrow(
    'line 2: a line of coverage comes before the name of its file (SF:)',
  )
})

async function read(text: string, roots: string[] = []): Promise<Record<string, string>> {
  const coverage = collect({ roots })
  await addText(coverage, text, 'a.info')
  return briefly(coverage)
}
