import { expect, test } from 'vitest'
import { rememberAddresses } from './remember-addresses.ts'

function scene(answer: (hostname: string) => Promise<string[]>) {
  const asked: string[] = []
  const clock = { now: 0 }
  const resolve = rememberAddresses(
    (hostname) => {
      asked.push(hostname)
      return answer(hostname)
    },
    () => clock.now,
  )
  return { asked, clock, resolve }
}

test('asks once for a host that many connections are made to at once, and again after half a minute', async () => {
  const { asked, clock, resolve } = scene(async (hostname) => [`address of ${hostname}`])
  const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => resolve(at % 2 ? 'odd.test' : 'even.test')))
  expect(new Set(answers.flat())).toEqual(new Set(['address of odd.test', 'address of even.test']))
  expect(asked).toEqual(['even.test', 'odd.test'])
  clock.now = 29_000
  await resolve('odd.test')
  expect(asked).toHaveLength(2)
  clock.now = 31_000
  await resolve('odd.test')
  expect(asked).toEqual(['even.test', 'odd.test', 'odd.test'])
})

test('tells all waiting clients that a host was not found, and looks it up again soon', async () => {
  let found = false
  const { asked, clock, resolve } = scene(async () => {
    if (!found) throw new Error('not found')
    return ['192.0.2.1']
  })
  const results = await Promise.allSettled([resolve('late.test'), resolve('late.test')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(resolve('late.test')).rejects.toThrow('not found')
  expect(asked).toHaveLength(1)
  found = true
  clock.now = 2_500
  expect(await resolve('late.test')).toEqual(['192.0.2.1'])
})

test('limits how many hosts it remembers', async () => {
  const { asked, resolve } = scene(async () => [])
  for (let at = 0; at <= 1_000; at++) await resolve(`${at}.test`)
  await resolve('1000.test')
  expect(asked).toHaveLength(1_001)
  await resolve('0.test')
  expect(asked).toHaveLength(1_002)
})
