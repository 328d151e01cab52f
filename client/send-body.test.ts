import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { fileBody, sendBody } from './send-body.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-send-body-'))
  file = join(folder, 'large')
  await writeFile(file, Buffer.alloc(30 * 2 ** 20))
})
afterAll(() => rm(folder, { recursive: true }))

/** Answers as soon as it has the headers, and disconnects while the client still sends. */
async function startImpatient(answer: string): Promise<Server & { requests: () => number }> {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      requests++
      socket
        .pause()
        .write(
          `HTTP/1.1 ${answer.replace('\n', `\r\nConnection: close\r\nContent-Length: ${answer.split('\n')[1]?.length}\r\n\r\n`)}`,
        )
      socket.destroySoon()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, { requests: () => requests })
}

test('gets the reason of a server that refuses a body and disconnects before it was sent', async () => {
  await using server = await startImpatient(
    '403 Forbidden\n{"code":"FORBIDDEN","message":"This requires the role member."}',
  )
  const { port } = server.address() as AddressInfo
  for (let count = 1; count <= 10; count++) {
    const sent = sendBody({
      credentials: { baseUrl: `http://127.0.0.1:${port}`, token: undefined },
      path: '/',
      headers: { 'content-length': String(30 * 2 ** 20) },
      body: () => fileBody(file, () => {}),
      answer: z.unknown(),
      signal: new AbortController().signal,
    })
    await expect(sent).rejects.toMatchObject({
      failure: { kind: 'refused', status: 403, message: 'This requires the role member.' },
    })
  }
  expect(server.requests()).toBeLessThan(15)
})
