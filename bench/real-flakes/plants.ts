/** Tests that fail now and then, each for a reason of its own, in the language of a repository. */
export interface Plants {
  /** Where the file goes. */
  path: string
  text: string
  /** The names of its flaky tests. */
  flaky: readonly string[]
}

const names = ['depends on chance', 'depends on the time', 'depends on a port', 'depends on an order'] as const

/** About one run of eight fails. */
const javascript = (header: string, fail: string) => `${header}
${fail}
const { createServer } = require('node:net')
const listen = (port) => new Promise((resolve, reject) => {
  const server = createServer().once('error', reject)
  server.listen(port, '127.0.0.1', () => resolve(server))
})
it('${names[0]}', () => check(Math.random() > 0.125, 'unlucky'))
it('${names[1]}', () => check(Date.now() % 8 !== 3, 'wrong moment'))
it('${names[2]}', async () => {
  const first = await listen(0)
  const base = first.address().port
  // Another program took the port that the test likes.
  const wanted = Math.random() < 0.125 ? base : 0
  try {
    const second = await listen(wanted)
    second.close()
  } finally {
    first.close()
  }
})
it('${names[3]}', () => {
  const order = [1, 2, 3, 4, 5, 6, 7, 8].sort(() => Math.random() - 0.5)
  check(order[0] !== 8 || order[7] !== 1 && Math.random() < 0.5, 'the last one came first')
})
it('is steady', () => check(true))
`

const go = (name: string) => `package ${name}

import (
	"math/rand"
	"net"
	"testing"
	"time"
)

func TestDependsOnChance(t *testing.T) {
	if rand.New(rand.NewSource(time.Now().UnixNano())).Intn(8) == 0 {
		t.Fatal("unlucky")
	}
}

func TestDependsOnTheTime(t *testing.T) {
	if time.Now().UnixNano()/1000%8 == 3 {
		t.Fatal("wrong moment")
	}
}

func TestDependsOnAPort(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	wanted := "127.0.0.1:0"
	if rand.New(rand.NewSource(time.Now().UnixNano())).Intn(8) == 0 {
		wanted = first.Addr().String()
	}
	second, err := net.Listen("tcp", wanted)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

func TestDependsOnAnOrder(t *testing.T) {
	for key := range map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true} {
		if key == 8 {
			t.Fatal("the last one came first")
		}
		break
	}
}

func TestIsSteady(t *testing.T) {}
`

const python = `import os
import random
import socket
import time


def test_depends_on_chance():
    assert random.Random(os.urandom(8)).random() > 0.125, "unlucky"


def test_depends_on_the_time():
    assert time.time_ns() // 1000 % 8 != 3, "wrong moment"


def test_depends_on_a_port():
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        first.listen()
        port = first.getsockname()[1] if os.urandom(1)[0] < 32 else 0
        second.bind(("127.0.0.1", port))


def test_depends_on_an_order():
    assert next(iter({"a", "b", "c", "d", "e", "f", "g", "h"})) != "h", "the last one came first"


def test_is_steady():
    assert True
`

const commonJs = javascript('', 'const check = (holds, text) => { if (!holds) throw new Error(text) }')
const vitest = `import { createServer } from 'node:net'
import { it } from 'vitest'
${commonJs.replace("const { createServer } = require('node:net')\n", '')}`

export const plants = {
  vitest: (path: string): Plants => ({ path, text: vitest, flaky: names }),
  mocha: (path: string): Plants => ({ path, text: commonJs, flaky: names }),
  go: (path: string, name: string): Plants => ({
    path,
    text: go(name),
    flaky: ['TestDependsOnChance', 'TestDependsOnTheTime', 'TestDependsOnAPort', 'TestDependsOnAnOrder'],
  }),
  pytest: (path: string): Plants => ({
    path,
    text: python,
    flaky: ['test_depends_on_chance', 'test_depends_on_the_time', 'test_depends_on_a_port', 'test_depends_on_an_order'],
  }),
}
