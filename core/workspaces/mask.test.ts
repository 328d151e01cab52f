import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectLinear } from '../../engines/source/testing/linear-time.ts'
import { byteMaskOf, maskOf } from './mask.ts'

test('masks values of the environment, longest first', () => {
  const mask = maskOf({ TOKEN: 'hunter2', LONGER: 'hunter2-and-more' })
  expect(mask('sent hunter2-and-more, then hunter2')).toBe('sent ***, then ***')
})

test('masks each line of a value, because logs are read line by line', () => {
  const mask = maskOf({ KEY: '-----BEGIN KEY-----\nc2VjcmV0\nbGluZXM=\n' })
  expect(mask('c2VjcmV0')).toBe('***')
  expect(mask('found bGluZXM= here')).toBe('found *** here')
})

test('does not mask short values, so that texts remain readable', () => {
  expect(maskOf({ DEBUG: '1', LEVEL: 'info', EMPTY: '', BLANK: '        ' })('level info 1')).toBe('level info 1')
})

test('does not treat a secret as a pattern or replacement', () => {
  const mask = maskOf({ PATTERN: '.*$&[a]' })
  expect(mask('x .*$&[a] y')).toBe('x *** y')
})

const secret = 'hunter2-ü-and-more'
const masked = async (chunks: Buffer[]) => {
  async function* bytes() {
    yield* chunks
  }
  const out: Buffer[] = []
  for await (const chunk of byteMaskOf({ KEY: secret })(bytes())) out.push(chunk)
  return Buffer.concat(out)
}

test('masks values in files across chunks, and changes nothing else', async () => {
  const content = Buffer.concat([
    Buffer.from([0xff, 0, 0xc3]),
    Buffer.from(`got ${secret}, ${secret.slice(0, 9)}, ${secret}`),
  ])
  const expected = Buffer.concat([Buffer.from([0xff, 0, 0xc3]), Buffer.from(`got ***, ${secret.slice(0, 9)}, ***`)])
  for (let at = 0; at <= content.length; at++) {
    expect(await masked([content.subarray(0, at), content.subarray(at)])).toEqual(expected)
  }
  expect(await masked([...content].map((byte) => Buffer.from([byte])))).toEqual(expected)
  expect(await masked([])).toEqual(Buffer.alloc(0))
})

const numbered = (count: number, width = 6) =>
  Array.from({ length: count }, (_, at) => at.toString(36).padStart(width, '0'))

test('many secrets and much text take linear time', async () => {
  // The search for each of 93,600 lines in each text of a run took a minute.
  const ordinary = 'a test printed this line, which is not secret. '
  await expectLinear(
    (size) => numbered(size / 7).join('\n'),
    200_000,
    (KEYS) => void maskOf({ KEYS })(ordinary.repeat(KEYS.length / ordinary.length)),
  )
})

test.each([
  ['secrets that begin alike', 'a'.repeat(30_000)],
  ['secrets within secrets', `${'a'.repeat(15_000)}\n${'ab'.repeat(5_000)}\n${'aab'.repeat(3_000)}`],
])('%s take linear time', async (_, KEYS) => {
  const mask = maskOf({ KEYS })
  for (const unit of ['a', 'ab', 'aab', 'aaaaaaaab']) {
    await expectLinear((size) => unit.repeat(size / unit.length), 6_400_000, mask)
  }
})

test('masks secrets that overlap completely', () => {
  const mask = maskOf({ A: 'abcdef', B: 'cdefgh', C: 'zabcde' })
  expect(mask('x abcdefgh zabcdef abcdefabcdef x')).toBe('x *** *** ****** x')
})

test('finds the same secrets as a search for each of them, in texts and in files', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 0, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(letters, { maxLength: 8 }),
      fc.array(letters, { maxLength: 20 }),
      async (values, parts) => {
        const text = [...parts, ...values].join('')
        const secrets = values.flatMap((value) => [value, ...value.split('\n')]).filter((one) => one.trim().length >= 6)
        const hidden = new Set<number>()
        for (const secret of secrets) {
          for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
            for (let index = at; index < at + secret.length; index++) hidden.add(index)
          }
        }
        const environment = Object.fromEntries(values.entries())
        const masked = maskOf(environment)(text)
        async function* bytes() {
          for (const one of text) yield Buffer.from(one)
        }
        let ofFile = ''
        for await (const chunk of byteMaskOf(environment)(bytes())) ofFile += chunk.toString()
        expect(ofFile).toBe(masked)
        expect(masked.replaceAll('*', '')).toBe(
          Array.from(text)
            .filter((_, index) => !hidden.has(index))
            .join(''),
        )
      },
    ),
    { seed: 16 },
  )
})

test('masks a long run of secrets in a file without holding it back', async () => {
  async function* bytes() {
    for (let chunk = 0; chunk < 100; chunk++) yield Buffer.from('a'.repeat(1_000))
    yield Buffer.from(' the end')
  }
  const out: string[] = []
  for await (const chunk of byteMaskOf({ KEY: 'aaaaaaa' })(bytes())) out.push(chunk.toString())
  expect(out.join('')).toBe('*** the end')
})
