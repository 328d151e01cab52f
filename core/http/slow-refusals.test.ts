import { expect, test } from 'vitest'
import { createTestApp } from '../testing/app.ts'

test('a flood of refused requests is slowed down, and other requests are not', async () => {
  await using app = await createTestApp({ role: 'web' })
  const refused = () => app.fetch('/trpc/projects.getProjects').then(({ status }) => status)
  let floods = 0
  const flood = Array.from({ length: 50 }, async () => {
    for (const until = performance.now() + 3_000; performance.now() < until; floods++) expect(await refused()).toBe(401)
  })
  for (let count = 0; count < 50; count++) expect((await app.fetch('/health')).status).toBe(200)
  await Promise.all(flood)
  // Thirty a second at once and fifty late, instead of a thousand.
  expect(floods).toBeLessThan(600)
})
