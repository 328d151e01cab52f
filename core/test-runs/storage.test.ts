import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startS3 } from '../files/testing/s3-server.ts'
import { createRunScene } from './testing/scene.ts'

/** Speaks as S3 does until it is full, and says so as it would then. */
async function startFullStorage() {
  const server = createServer((req, res) => {
    req.resume()
    req.on('end', () => {
      res.writeHead(507, { 'content-type': 'application/xml' })
      res.end('<Error><Code>InsufficientStorage</Code><Message>No space left on device</Message></Error>')
    })
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

test('keeps the results of a run whose files do not fit on the disk, and warns', async () => {
  await using s3 = await startS3()
  await using full = await startFullStorage()
  await using scene = await createRunScene({ storage: { ...s3.config, endpoint: full.endpoint } })
  const { id } = await scene.project(
    { 'tests.sh': `echo done; echo '<testsuite><testcase name="a"/></testsuite>' > junit.xml` },
    { testCommand: 'sh tests.sh', reportGlobs: ['junit.xml'] },
  )
  const run = await scene.run(id)
  expect(run).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1, error: null })
  expect(run.warnings.join()).toMatch(/could not store/)
  expect(await scene.log(run.id)).toContain('done')
  expect(await scene.client.files.list.query({ projectId: id, runId: run.id })).toEqual([])
})
