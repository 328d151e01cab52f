import { expect, test } from 'vitest'
import { expectLinear } from '../../engines/source/testing/linear-time.ts'
import { readableOutput } from './readable-output.ts'

const printed = (text: string) => {
  let shown = ''
  const write = readableOutput('go.json', (more) => (shown += more))
  write(text)
  write('')
  return shown
}

test('unwraps the events of go test, and shows other lines as they are', () => {
  const event = JSON.stringify({ Action: 'output', Package: 'a', Output: '=== RUN TestA\n' })
  expect(printed(`# build failed\n${event}\n{"Action":"pass"}\n{"a":1}\n`)).toBe(
    '# build failed\n=== RUN TestA\n{"a":1}\n',
  )
})

test('does not parse lines that are longer than any event', async () => {
  const long = JSON.stringify({ Action: 'output', Output: 'x'.repeat(70_000) })
  expect(printed(`${long}\n`)).toBe(`${long}\n`)
  await expectLinear((size) => '['.repeat(size), 8_000_000, printed)
})
