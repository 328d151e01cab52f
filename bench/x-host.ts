import { openScratch } from './scratch.ts'
import { startAssay } from './verify/start.ts'
await using cleanUp = new AsyncDisposableStack()
const scratch = await openScratch(cleanUp)
const { client, projectIds } = await startAssay(cleanUp, scratch, [process.argv[2] ?? ''])
const projectId = projectIds[0] ?? ''
for (const turn of [1, 2]) {
  const from = performance.now()
  const { id } = await client.strength.measure.mutate({ projectId, budgetSeconds: 60 })
  let seen = -1
  for (;;) {
    const one = await client.strength.get.query({ measurementId: id })
    const n = one.evidence?.survived ?? 0
    if (n !== seen || one.completedAt) console.log(turn, ((performance.now() - from) / 1000).toFixed(1), one.status, JSON.stringify(one.progress), n, one.error ?? '')
    seen = n
    if (one.completedAt) { console.log(JSON.stringify({ ...one.evidence, survivors: one.evidence?.survivors.slice(0, 5) }, null, 1).slice(0, 4000)); break }
    await new Promise((r) => setTimeout(r, 1000))
  }
}
