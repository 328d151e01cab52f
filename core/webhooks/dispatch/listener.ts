import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../../base/log.ts'
import { deliveriesChannel } from '../../events/emit.ts'

export interface Listener extends AsyncDisposable {}

export interface ListenerOptions {
  databaseUrl: string
  log: Logger
  /** With the webhooks that there is something for; without any, it may be for every one. */
  onNews: (webhookIds: string[]) => void
}

const firstPauseMs = 100
const longestPauseMs = 5_000

/** Listens on a connection of its own, and makes a new one when that breaks. Nothing depends on its being there. */
export function startListener({ databaseUrl, log, onNews }: ListenerOptions): Listener {
  const stopping = new AbortController()

  const listenOnce = async (): Promise<void> => {
    // Our own, so that it can be closed without the leave of a server that may not answer.
    const socket = new Socket()
    const client = new pg.Client({
      stream: () => socket,
      connectionString: databaseUrl,
      application_name: 'assay-webhooks',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    const ended = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the connection ended')))
    })
    const close = () => socket.destroy()
    stopping.signal.addEventListener('abort', close)
    client.on('notification', ({ payload }) => onNews(payload ? payload.split(',') : []))
    try {
      await client.connect()
      await client.query(`LISTEN ${deliveriesChannel}`)
      onNews([]) // Whatever was said while nobody listened.
      throw await ended
    } finally {
      stopping.signal.removeEventListener('abort', close)
      close()
    }
  }

  const listen = async (): Promise<void> => {
    let pauseMs = firstPauseMs
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      try {
        await listenOnce()
      } catch (error) {
        if (stopping.signal.aborted) return
        if (performance.now() - startedAt > longestPauseMs) pauseMs = firstPauseMs
        log.warn({ err: error }, 'cannot listen for new deliveries; polling every second')
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {}) // Woken to stop.
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      }
    }
  }

  const listening = listen()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await listening
    },
  }
}
