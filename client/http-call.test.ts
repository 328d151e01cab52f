import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { callOverHttp } from './http-call.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sockets,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const signal = AbortSignal.timeout(20_000)

test('sends method, headers and body, and keeps the connection for the next call', async () => {
  await using server = await serve((request, response) => {
    void text(request).then((body) => response.end(`${request.method} ${String(request.headers['x-a'])} ${body}`))
  })
  const call = { method: 'POST', headers: { 'x-a': 'b' }, body: '{"é":1}', signal }
  expect(await text(await callOverHttp(server.url, call))).toBe('POST b {"é":1}')
  expect(await text(await callOverHttp(server.url, { headers: { 'x-a': 'c' }, signal }))).toBe('GET c ')
  expect(server.sockets.size).toBe(1)
})

test('a kept connection that the server closes under a call is replaced for reading, but nothing is written twice', async () => {
  const methods: string[] = []
  await using server = await serve((request, response) => {
    methods.push(request.method ?? '')
    // Every second call on a connection is cut off.
    if (methods.length % 2 === 0) request.socket.resetAndDestroy()
    else response.end('answer')
  })
  const read = async () => text(await callOverHttp(server.url, { headers: {}, signal }))
  expect([await read(), await read()]).toEqual(['answer', 'answer'])
  expect(methods).toEqual(['GET', 'GET', 'GET'])
  const write = callOverHttp(server.url, { method: 'POST', headers: {}, body: '{}', signal })
  await expect(write).rejects.toThrow(TypeError)
  expect(methods).toEqual(['GET', 'GET', 'GET', 'POST'])
})

test('says that there is no server, and why a call was given up', async () => {
  const { url } = await serve(() => {}).then(async (server) => {
    await server[Symbol.asyncDispose]()
    return server
  })
  await expect(callOverHttp(url, { headers: {}, signal })).rejects.toThrow(TypeError)

  await using silent = await serve(() => {})
  const cancelling = new AbortController()
  const call = callOverHttp(silent.url, { headers: {}, signal: cancelling.signal })
  cancelling.abort(new Error('not needed any more'))
  await expect(call).rejects.toThrow('not needed any more')
})
