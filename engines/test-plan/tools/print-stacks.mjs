// Runs a command as its parent, and writes to a file after a while what the JavaScript of each Node process below it is
// doing. Node opens its inspector on SIGUSR1, also in an endless loop; no other way tells the stack of one from outside.
//
// node print-stacks.mjs <milliseconds> <file> <command> [argument ...]
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { constants } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const [after, file = '', command = '', ...rest] = process.argv.slice(2)
const maxProcesses = 50
const maxFrames = 100
const answerMs = 5_000

// Each process needs a port of its own.
const options = [process.env.NODE_OPTIONS, '--inspect-port=0'].filter(Boolean).join(' ')
const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, NODE_OPTIONS: options } })
child.once('error', (error) => {
  process.stderr.write(`${command}: ${'code' in error && error.code === 'ENOENT' ? 'not found' : error.message}\n`)
  process.exit(127)
})
child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
// The command gets these signals too, and this process reports how it ended.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)

// More than once, since the test may start late; the file holds what was found last.
setTimeout(() => void printStacks(), Number(after)).unref()

async function printStacks() {
  const found = await Promise.allSettled(nodeProcesses().slice(0, maxProcesses).map(stackOf))
  // Without those of processes that ended, or that run no JavaScript.
  const stacks = found.flatMap(({ value }) => value ?? [])
  if (stacks.length > 0) {
    writeFileSync(`${file}.part`, `${stacks.join('\n\n')}\n`)
    renameSync(`${file}.part`, file)
  }
  setTimeout(() => void printStacks(), Math.max(1_000, Number(after) / 10)).unref()
}

/** Descendants of this process that run Node and handle SIGUSR1, those that were started last first. */
function nodeProcesses() {
  const parents = new Map()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? /^PPid:\s*(\d+)/m.exec(readQuietly(`/proc/${name}/status`))?.[1] : undefined
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const isBelow = (pid) => {
    for (let at = parents.get(pid); at; at = parents.get(at)) if (at === process.pid) return true
    return false
  }
  return [...parents.keys()].filter((pid) => isBelow(pid) && isNode(pid)).toSorted((a, b) => b - a)
}

function isNode(pid) {
  const handled = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)/m.exec(readQuietly(`/proc/${pid}/status`))?.[1] ?? '0'}`)
  const handlesSignal = (handled >> BigInt(constants.signals.SIGUSR1 - 1)) & 1n
  try {
    return handlesSignal === 1n && basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('node')
  } catch {
    return false
  }
}

async function stackOf(pid) {
  const port = await openInspector(pid)
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const paused = Promise.withResolvers()
  const scripts = new Map()
  let sent = 0
  const send = (method) => socket.send(JSON.stringify({ id: ++sent, method }))
  socket.addEventListener('error', () => paused.resolve(undefined))
  socket.addEventListener('open', () => ['Debugger.enable', 'Debugger.pause'].forEach(send))
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(data)
    if (method === 'Debugger.scriptParsed') scripts.set(params.scriptId, params)
    if (method === 'Debugger.paused') paused.resolve(params.callFrames)
  })
  // A process that waits runs no JavaScript that could be paused.
  const frames = await Promise.race([paused.promise, sleep(answerMs)])
  socket.close()
  return frames
    ?.slice(0, maxFrames)
    .map(({ functionName, location }) => {
      const script = scripts.get(location.scriptId)
      const { line, column } = sourceOf(script?.sourceMapURL ?? '', location)
      const place = `${script?.url}:${line + 1}:${column + 1}`
      return functionName === '' ? `    at ${place}` : `    at ${functionName} (${place})`
    })
    .join('\n')
}

/** The place in the source file, where the runner has compiled it and left an inline source map. */
function sourceOf(url, { lineNumber, columnNumber }) {
  const compiled = { line: lineNumber, column: columnNumber }
  const [, encoded] = /^data:application\/json[^,]*;base64,(.*)$/s.exec(url) ?? []
  if (encoded === undefined) return compiled
  const entry = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString())).findEntry(lineNumber, columnNumber)
  return 'originalLine' in entry ? { line: entry.originalLine, column: entry.originalColumn } : compiled
}

const inspectors = new Map()

/** Returns the port of the inspector: the one that the process listens on since it got the signal. */
async function openInspector(pid) {
  const open = inspectors.get(pid)
  if (open !== undefined) return open
  const before = new Set(portsOf(pid))
  process.kill(pid, 'SIGUSR1')
  for (let waited = 0; waited < answerMs; waited += 50) {
    await sleep(50)
    const port = portsOf(pid).find((candidate) => !before.has(candidate))
    if (port === undefined) continue
    inspectors.set(pid, port)
    return port
  }
  throw new Error(`The inspector of process ${pid} did not open.`)
}

function portsOf(pid) {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1]
      } catch {
        return undefined
      }
    }),
  )
  const listening = '0A'
  return readQuietly(`/proc/${pid}/net/tcp`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(inode))
    .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16))
}

function readQuietly(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
